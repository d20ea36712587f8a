// Writes JSON text, fast and short: pages hold a million numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace grapevine::report {

// Commas and quotes are its business; that every begin has its end and every
// value of an object its key is the caller's. One thread at a time.
class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Of the value that follows.
  void key(std::string_view name);

  // With so many significant digits, in the shortest form; what is not finite
  // is null.
  void number(double value, int digits = 6);
  void integer(int64_t value);
  // What is not UTF-8 becomes U+FFFD.
  void text(std::string_view value);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }

  // A number, a text, a boolean, a list of them, or nothing (null).
  template <typename T>
  void value(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      boolean(value);
    } else if constexpr (std::integral<T>) {
      integer(static_cast<int64_t>(value));
    } else if constexpr (std::floating_point<T>) {
      number(value);
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      text(value);
    } else if constexpr (std::ranges::range<T>) {
      begin_array();
      for (const auto& item : value)
        this->value(item);
      end_array();
    } else {
      value ? this->value(*value) : null();
    }
  }
  void numbers(std::span<const double> values, int digits = 6);

  // A key with its value.
  template <typename T>
  void field(std::string_view name, const T& value) {
    key(name);
    this->value(value);
  }
  // An object whose fields write() writes.
  template <typename Write>
  void object(const Write& write) {
    begin_object();
    write();
    end_object();
  }
  template <typename Write>
  void object(std::string_view name, const Write& write) {
    key(name);
    object(write);
  }
  // The object of *optional, of which write(*optional) writes the fields, or
  // null.
  template <typename Optional, typename Write>
  void object_of(
      std::string_view name,
      const Optional& optional,
      const Write& write) {
    key(name);
    optional ? object([&] { write(*optional); }) : null();
  }
  // A list of objects: write(item) writes the fields of one.
  template <typename Items, typename Write>
  void objects(const Items& items, const Write& write) {
    begin_array();
    for (const auto& item : items)
      object([&] { write(item); });
    end_array();
  }
  template <typename Items, typename Write>
  void objects(std::string_view name, const Items& items, const Write& write) {
    key(name);
    objects(items, write);
  }

  // Takes what was written since the last take: a long text may leave in
  // pieces.
  std::string take() { return std::exchange(out_, {}); }
  size_t size() const { return out_.size(); }

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view value);

  std::string out_;
  bool needs_comma_ = false;
};

} // namespace grapevine::report
