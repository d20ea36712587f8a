// Transports around transports: limited links (net/shaped/), packed
// messages (net/packed/), shared memory (net/near/). A list of
// wraps says what is put around a transport once it is connected, the first
// next to the network.
#pragma once

#include "net/transport.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::net {

// Workers of a run that a transport connects, or is going to.
struct GroupSpec {
  // The same for all members, and never used twice in a run. Empty: the group
  // of all workers, which is connected once.
  std::string name;
  std::vector<int> workers; // ranks in the run, ascending
  int self = 0;             // index of this worker among them
};

struct Wrap {
  // Called before the group is connected, by all of its members. May be null.
  std::function<void(const GroupSpec&)> prepare;
  // Returns the transport to use instead. `inner` connects the group: its rank
  // i is workers[i], which is what errors call it. May talk over `inner` until
  // the deadline.
  std::function<std::unique_ptr<Transport>(
      std::unique_ptr<Transport> inner,
      const GroupSpec& group,
      Deadline deadline)>
      apply;
};

// Connects the group by `connect` and wraps what that returns.
std::unique_ptr<Transport> connect_wrapped(
    const std::vector<Wrap>& wraps,
    const GroupSpec& group,
    Deadline deadline,
    const std::function<std::unique_ptr<Transport>()>& connect);

// Wraps a transport of all workers of a run.
std::unique_ptr<Transport> wrap(
    std::unique_ptr<Transport> inner,
    const std::vector<Wrap>& wraps,
    Deadline deadline);

} // namespace grapevine::net
