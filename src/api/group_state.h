// What a Group holds.
#pragma once

#include "cluster/cluster.h"
#include "transport/launch_environment.h"

#include <grapevine/group.h>

#include <memory>
#include <string>

namespace grapevine {

struct Group::State {
  std::unique_ptr<cluster::Cluster> cluster;
  // What the launcher said; nothing for workers inside a process.
  transport::LaunchEnvironment environment;
};

} // namespace grapevine
