// Connects workers that have agreed to be connected.
#pragma once

#include "base/deadline.h"
#include "transport/transport.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::transport {

struct Party {
  // The same for all members, and never used twice in a run.
  std::string name;
  std::vector<int> workers; // ranks in the run, ascending
  int self = 0;             // index of this worker among them
};

class Connector {
 public:
  virtual ~Connector() = default;

  // A transport over the party, rank i being workers[i]; its errors name ranks
  // of the run. Waits for the other members, until the deadline (TimeoutError)
  // or, at the next opportunity, until `cancelled` is set (TransportError). Any
  // thread may call it, several at a time.
  virtual std::unique_ptr<Transport> connect(
      const Party& party,
      Deadline deadline,
      const std::atomic<bool>& cancelled) = 0;
};

} // namespace grapevine::transport
