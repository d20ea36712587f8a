// What linked edges (member/) need of Gloo. Without torch, so that the
// layer's other sources may include it.
#pragma once

#include "net/group_factory.h"
#include "net/key_value_store.h"
#include "net/launch_environment.h"

#include <memory>
#include <vector>

namespace grapevine::net {

// The store that the environment names. One that was lost is looked for again,
// at most once a second, unless this worker serves it. Throws as
// make_gloo_transport does.
std::unique_ptr<KeyValueStore> open_gloo_store(
    const LaunchEnvironment& environment,
    Deadline deadline);

// A process group for each group, whose members find each other through the
// store. They share one device, so one thread serves all their connections;
// c10d adds an idle one to each group.
std::unique_ptr<GroupFactory> make_gloo_group_factory(
    const LaunchEnvironment& environment,
    std::shared_ptr<KeyValueStore> store,
    std::vector<Wrap> wraps);

} // namespace grapevine::net
