// Numbers in a record, of which any may be missing or null.
#pragma once

#include "report/statistics.h"

#include <simdjson.h>

#include <string_view>

namespace grapevine::report {

inline double number_of(const simdjson::dom::element& element) {
  double value = kNan;
  return element.get(value) == simdjson::SUCCESS ? value : kNan;
}

// Returns fields[key]; NaN if it is not a number.
inline double number_at(
    const simdjson::dom::object& fields,
    std::string_view key) {
  simdjson::dom::element element;
  if (fields.at_key(key).get(element) != simdjson::SUCCESS) return kNan;
  return number_of(element);
}

// Calls visit(number) for each of an array of numbers, or for one alone.
template <typename Visit>
void for_numbers(const simdjson::dom::element& element, const Visit& visit) {
  simdjson::dom::array array;
  if (element.get(array) != simdjson::SUCCESS) {
    visit(number_of(element));
    return;
  }
  for (const simdjson::dom::element number : array)
    visit(number_of(number));
}

// The same for fields[key], if it is there: visit(index, number).
template <typename Visit>
void for_numbers(
    const simdjson::dom::object& fields,
    std::string_view key,
    const Visit& visit) {
  simdjson::dom::element element;
  if (fields.at_key(key).get(element) != simdjson::SUCCESS) return;
  size_t index = 0;
  for_numbers(element, [&](double number) { visit(index++, number); });
}

} // namespace grapevine::report
