// Writes JSON text, fast and short: pages hold a million numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace grapevine::report {

// Commas and quotes are its business; that every begin has its end and every
// value of an object its key is the caller's. One thread at a time.
class JsonWriter {
 public:
  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  // Of the value that follows.
  void key(std::string_view name);

  // With so many significant digits, in the shortest form; what is not finite
  // is null.
  void number(double value, int digits = 6);
  void integer(int64_t value);
  // What is not UTF-8 becomes U+FFFD.
  void text(std::string_view value);
  void boolean(bool value);
  void null();

  // A key with its value.
  void number(std::string_view name, double value) {
    key(name);
    number(value);
  }
  void integer(std::string_view name, int64_t value) {
    key(name);
    integer(value);
  }
  void text(std::string_view name, std::string_view value) {
    key(name);
    text(value);
  }
  void boolean(std::string_view name, bool value) {
    key(name);
    boolean(value);
  }

  void numbers(std::span<const double> values, int digits = 6);
  void integers(std::span<const int64_t> values);

  // What was written since the last one: a long text may leave in pieces.
  std::string take() { return std::exchange(out_, {}); }
  size_t size() const { return out_.size(); }

 private:
  void separate();

  std::string out_;
  bool needs_comma_ = false;
};

} // namespace grapevine::report
