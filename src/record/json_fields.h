// Fields of JSON that may have been damaged. Internal to this layer.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::record {

// Returns the JSON value, or nullopt if the text is not valid JSON or nested
// deeper than kDeepestJson (base/json_depth.h).
std::optional<nlohmann::json> parse_json(const std::string& text);

// Returns object[key] if object is an object and the value an integer that
// fits.
std::optional<int64_t> find_integer(
    const nlohmann::json& object,
    const char* key);

// Compact with indent -1. NaN and infinities become null, invalid UTF-8 the
// replacement character: a record never fails for what it contains.
std::string dump_json(const nlohmann::json& value, int indent = -1);

} // namespace grapevine::record
