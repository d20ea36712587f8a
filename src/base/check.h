// Invariants of our own code. A failed check is a bug in Grapevine, never an
// answer to bad input; its message holds both values and the place.
#pragma once

#include "base/error.h"

#include <fmt/format.h>

namespace grapevine {

class CheckFailure : public Error {
 public:
  using Error::Error;
};

namespace detail {

[[noreturn]] void
check_failed(const char* file, int line, const std::string& what);

template <typename A, typename B>
[[noreturn]] void check_pair_failed(
    const char* file,
    int line,
    const char* expression,
    const A& a,
    const B& b) {
  check_failed(file, line, fmt::format("{} ({} vs {})", expression, a, b));
}

} // namespace detail
} // namespace grapevine

#define GV_CHECK(condition)                                              \
  do {                                                                   \
    if (!(condition))                                                    \
      ::grapevine::detail::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)

#define GV_CHECK_OP_(a, op, b)                \
  do {                                        \
    const auto& gv_a = (a);                   \
    const auto& gv_b = (b);                   \
    if (!(gv_a op gv_b))                      \
      ::grapevine::detail::check_pair_failed( \
          __FILE__,                           \
          __LINE__,                           \
          #a " " #op " " #b,                  \
          gv_a,                               \
          gv_b);                              \
  } while (false)

#define GV_CHECK_EQ(a, b) GV_CHECK_OP_(a, ==, b)
#define GV_CHECK_LE(a, b) GV_CHECK_OP_(a, <=, b)
#define GV_CHECK_LT(a, b) GV_CHECK_OP_(a, <, b)
#define GV_CHECK_GE(a, b) GV_CHECK_OP_(a, >=, b)
