// Environment variables, with the errors that a half-set environment deserves.
// For launch_environment.cpp only.
#pragma once

#include "base/error.h"
#include "net/launch_environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::net {

class Variables {
 public:
  explicit Variables(const GetEnv& get_env) : get_env_(get_env) {}

  // A variable that is set to nothing counts as not set.
  std::optional<std::string> text(const char* name) const {
    auto value = get_env_(name);
    if (value && value->empty()) return std::nullopt;
    return value;
  }

  bool has(const char* name) const { return text(name).has_value(); }

  std::optional<int64_t> number(const char* name, int64_t least = 0) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    int64_t number = 0;
    const char* end = value->data() + value->size();
    const auto result = std::from_chars(value->data(), end, number);
    if (result.ec != std::errc() || result.ptr != end || number < least ||
        number > INT32_MAX) {
      throw ConfigError(fmt::format(
          "environment variable {}: '{}' is not an integer of at least {}",
          name,
          *value,
          least));
    }
    return number;
  }

  std::string need_text(const char* name, const char* because) const {
    const auto value = text(name);
    if (!value) throw_missing(name, because);
    return *value;
  }

  int need_number(const char* name, const char* because, int64_t least = 0)
      const {
    const auto value = number(name, least);
    if (!value) throw_missing(name, because);
    return static_cast<int>(*value);
  }

  int number_or(const char* name, int64_t fallback, int64_t least = 0) const {
    return static_cast<int>(number(name, least).value_or(fallback));
  }

 private:
  [[noreturn]] static void throw_missing(
      const char* name,
      const char* because) {
    throw ConfigError(fmt::format(
        "environment variable {} is not set, although {}",
        name,
        because));
  }

  const GetEnv& get_env_;
};

} // namespace grapevine::net
