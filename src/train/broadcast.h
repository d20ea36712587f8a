// A value of the first process, on all of them.
#pragma once

#include "cluster/cluster.h"

#include <nlohmann/json.hpp>

namespace grapevine::train {

// Returns the value that the process that hosts worker 0 has passed.
// Collective. T: what JSON can hold.
template <class T>
T broadcast(cluster::Cluster& cluster, const T& value) {
  const std::string text = cluster.broadcast(nlohmann::json(value).dump());
  return nlohmann::json::parse(text).get<T>();
}

} // namespace grapevine::train
