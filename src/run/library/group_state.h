// What a Group holds.
#pragma once

#include "mix/cluster.h"
#include "net/launch_environment.h"

#include <grapevine/group.h>

#include <memory>
#include <string>

namespace grapevine {

struct Group::State {
  std::unique_ptr<mix::Cluster> cluster;
  // What the launcher said; nothing for workers inside a process.
  net::LaunchEnvironment environment;
};

} // namespace grapevine
