// How Gloo's workers find each other: a store, a roll call in it, and the
// process group that follows.
#pragma once

#include "base/deadline.h"
#include "net/c10d/c10d.h"
#include "net/launch_environment.h"
#include "net/transport.h"

#include <memory>
#include <string>
#include <vector>

namespace grapevine::net {

// The group, and the store, which must live as long if this worker serves
// it. See make_gloo_transport for what is thrown.
struct Meeting {
  StorePointer store;
  c10::intrusive_ptr<::c10d::ProcessGroupGloo> group;
  std::string memory_domain; // as of a transport
};

Meeting meet(const LaunchEnvironment& environment, Deadline deadline);

// The key that says that a worker will not come, and why (StoreServer).
inline constexpr const char* kMissingKey = "missing";

// The parts of it, for those who meet in other ways. The store, in this run's
// own corner; whether this worker serves it; and where it is, for messages.
StorePointer open_run_store(
    const LaunchEnvironment& environment,
    Deadline deadline);
bool serves_store(const LaunchEnvironment& environment);
std::string where_store_is(const LaunchEnvironment& environment);

// Empty if memory is not to be shared.
std::string memory_domain(const LaunchEnvironment& environment);

// Listens for peers; see make_gloo_transport for where.
std::shared_ptr<::gloo::transport::Device> make_gloo_device(
    const LaunchEnvironment& environment);

// Connects rank with all others below size, which come to the same store; as
// c10d does it, with its errors.
c10::intrusive_ptr<::c10d::ProcessGroupGloo> connect_group(
    const StorePointer& store,
    const std::shared_ptr<::gloo::transport::Device>& device,
    int rank,
    int size,
    Deadline deadline);

// Rank i of the group is workers[i] of the run, in error messages.
std::unique_ptr<Transport>
make_gloo_transport(Meeting meeting, int rank, std::vector<int> workers);

} // namespace grapevine::net
