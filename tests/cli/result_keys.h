// The JSON names of every result, as scripts rely on them.
#pragma once

#include <nlohmann/json.hpp>

#include <set>
#include <string>

namespace grapevine::cli {

inline const std::set<std::string> kResultKeys = {
    "run",
    "outcome",
    "epochs",
    "steps",
    "train_loss",
    "test_accuracy",
    "averaged_model_accuracy",
    "consensus_distance",
    "parameters_sha256",
    "samples_per_second",
    "seconds",
    "virtual_seconds",
    "messages",
    "bytes"};

inline std::set<std::string> keys_of(const nlohmann::json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items())
    keys.insert(item.key());
  return keys;
}

} // namespace grapevine::cli
