#include "record/json_fields.h"

#include "base/json_depth.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace grapevine::record {

using nlohmann::json;

std::optional<json> parse_json(const std::string& text) {
  if (json_depth(text) > kDeepestJson) return std::nullopt;
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::optional<int64_t> find_integer(const json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) {
    return std::nullopt;
  }
  if (found->is_number_unsigned() &&
      found->get<uint64_t>() >
          static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return std::nullopt;
  }
  return found->get<int64_t>();
}

std::string dump_json(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

} // namespace grapevine::record
