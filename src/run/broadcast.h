// A value of the first process, on all of them.
#pragma once

#include "mix/cluster.h"

#include <nlohmann/json.hpp>

namespace grapevine::run {

// Returns the value that the process that hosts worker 0 has passed.
// Collective. T: what JSON can hold.
template <class T>
T broadcast(mix::Cluster& cluster, const T& value) {
  const std::string text = cluster.broadcast(nlohmann::json(value).dump());
  return nlohmann::json::parse(text).get<T>();
}

} // namespace grapevine::run
