// How Gloo's workers find each other: a store, a roll call in it, and the
// process group that follows.
#pragma once

#include "base/deadline.h"
#include "transport/c10d/c10d.h"
#include "transport/launch_environment.h"

namespace grapevine::transport {

// The group, and the store, which must live as long where this worker serves
// it. See make_gloo_transport for what is thrown.
struct Meeting {
  StorePointer store;
  c10::intrusive_ptr<::c10d::ProcessGroupGloo> group;
};

Meeting meet(const LaunchEnvironment& environment, Deadline deadline);

} // namespace grapevine::transport
