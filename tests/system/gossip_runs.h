// Asynchronous runs that are over soon, and what they wrote down.
#pragma once

#include "system/process.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace grapevine::system {

inline Words gossip_run(const std::string& preset, const std::string& out) {
  return split(
             "train --json --quiet --model mlp --data fashion-mnist "
             "--train-samples 6000 --batch 32 --lr 0.05 --eval-samples 200") +
         Words{"--preset", preset, "--out", out};
}

inline std::vector<nlohmann::json>
records_of(const std::string& out, int process, const std::string& type) {
  std::ifstream file(
      out + "/records/process-" + std::to_string(process) + ".jsonl");
  std::vector<nlohmann::json> found;
  for (std::string line; std::getline(file, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_discarded() && record.value("type", "") == type) {
      found.push_back(record);
    }
  }
  return found;
}

} // namespace grapevine::system
