// What a Group holds.
#pragma once

#include "cluster/cluster.h"

#include <grapevine/group.h>

#include <memory>
#include <string>

namespace grapevine {

struct Group::State {
  std::unique_ptr<cluster::Cluster> cluster;
};

} // namespace grapevine
