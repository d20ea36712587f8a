#include "report/json_writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace grapevine::report {
namespace {

struct Digits {
  std::array<char, 40> buffer;
  size_t size = 0;

  Digits(double value, std::chars_format format, int precision) {
    const auto result = std::to_chars(
        buffer.data(),
        buffer.data() + buffer.size(),
        value,
        format,
        precision);
    size = static_cast<size_t>(result.ptr - buffer.data());
  }
  std::string_view text() const { return {buffer.data(), size}; }
};

// "1.500e-05" is "1.5e-5" and "2.000e+06" is "2e6".
std::string short_exponent(std::string_view number) {
  const size_t e = number.find('e');
  std::string_view mantissa = number.substr(0, e);
  if (mantissa.find('.') != std::string_view::npos) {
    while (mantissa.back() == '0')
      mantissa.remove_suffix(1);
    if (mantissa.back() == '.') mantissa.remove_suffix(1);
  }
  std::string_view exponent = number.substr(e + 2);
  while (exponent.size() > 1 && exponent.front() == '0')
    exponent.remove_prefix(1);
  std::string text(mantissa);
  text += number[e + 1] == '-' ? "e-" : "e";
  text += exponent;
  return text;
}

} // namespace

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

void JsonWriter::raw(std::string_view value) {
  separate();
  out_ += value;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
}

void JsonWriter::number(double value, int digits) {
  if (!std::isfinite(value)) return null();
  const Digits general(value, std::chars_format::general, digits);
  const std::string_view plain = general.text();
  const double size = std::abs(value);
  if (plain.find('e') == std::string_view::npos &&
      (size >= 0.01 || value == 0)) {
    return raw(plain);
  }
  const Digits scientific(value, std::chars_format::scientific, digits - 1);
  const std::string exponent = short_exponent(scientific.text());
  raw(exponent.size() < plain.size() ? std::string_view(exponent) : plain);
}

void JsonWriter::integer(int64_t value) {
  raw(fmt::format_int(value).c_str());
}

void JsonWriter::text(std::string_view value) {
  raw(nlohmann::json(value)
          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void JsonWriter::numbers(std::span<const double> values, int digits) {
  begin_array();
  for (const double value : values)
    number(value, digits);
  end_array();
}

} // namespace grapevine::report
