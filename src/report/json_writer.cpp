#include "report/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace grapevine::report {
namespace {

// How many bytes the UTF-8 character at the front takes; 0 if it is none.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const auto goes_on = [&](size_t i) {
    return i < text.size() && (byte(i) & 0xc0) == 0x80;
  };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return goes_on(1) ? 2 : 0;
  if ((first & 0xf0) == 0xe0 && goes_on(1) && goes_on(2)) {
    const bool is_overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool is_surrogate = first == 0xed && byte(1) >= 0xa0;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  if (first >= 0xf0 && first < 0xf5 && goes_on(1) && goes_on(2) && goes_on(3)) {
    const bool is_overlong = first == 0xf0 && byte(1) < 0x90;
    const bool is_too_large = first == 0xf4 && byte(1) >= 0x90;
    return is_overlong || is_too_large ? 0 : 4;
  }
  return 0;
}

void append_escaped(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) >= 0x20) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kHex[(c >> 4) & 0xf];
  out += kHex[c & 0xf];
}

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

void JsonWriter::begin_object() {
  separate();
  out_ += '{';
  needs_comma_ = false;
}

void JsonWriter::end_object() {
  out_ += '}';
  needs_comma_ = true;
}

void JsonWriter::begin_array() {
  separate();
  out_ += '[';
  needs_comma_ = false;
}

void JsonWriter::end_array() {
  out_ += ']';
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
}

void JsonWriter::number(double value, int digits) {
  if (!std::isfinite(value)) return null();
  separate();
  const Digits general(value, std::chars_format::general, digits);
  const std::string_view plain = general.text();
  const double size = std::abs(value);
  if (plain.find('e') == std::string_view::npos &&
      (size >= 0.01 || value == 0)) {
    out_ += plain;
    return;
  }
  const Digits scientific(value, std::chars_format::scientific, digits - 1);
  const std::string exponent = short_exponent(scientific.text());
  const bool is_shorter = exponent.size() < plain.size();
  out_ += is_shorter ? std::string_view(exponent) : plain;
}

void JsonWriter::integer(int64_t value) {
  separate();
  std::array<char, 24> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out_.append(buffer.data(), end);
}

void JsonWriter::text(std::string_view value) {
  separate();
  out_ += '"';
  while (!value.empty()) {
    const size_t length = character_length(value);
    if (length == 1) {
      append_escaped(out_, value.front());
    } else {
      out_ += length == 0 ? "\xef\xbf\xbd" : value.substr(0, length);
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
}

void JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
}

void JsonWriter::null() {
  separate();
  out_ += "null";
}

void JsonWriter::numbers(std::span<const double> values, int digits) {
  begin_array();
  for (const double value : values)
    number(value, digits);
  end_array();
}

void JsonWriter::integers(std::span<const int64_t> values) {
  begin_array();
  for (const int64_t value : values)
    integer(value);
  end_array();
}

} // namespace grapevine::report
