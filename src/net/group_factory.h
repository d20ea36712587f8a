// Connects workers that have agreed to be connected.
#pragma once

#include "base/deadline.h"
#include "net/transport.h"
#include "net/wrap.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace grapevine::net {

class GroupFactory {
 public:
  // `wraps` are put around every transport. All workers have the same.
  explicit GroupFactory(std::vector<Wrap> wraps = {})
      : wraps_(std::move(wraps)) {}
  virtual ~GroupFactory() = default;

  // Returns a transport over the group, rank i being workers[i]; its errors
  // name ranks of the run. Waits for the other members, until the deadline
  // (TimeoutError) or, at the next opportunity, until `cancelled` is set
  // (TransportError). Any thread may call it, several at a time.
  std::unique_ptr<Transport> connect(
      const GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) {
    return connect_wrapped(wraps_, group, deadline, [&] {
      auto transport = connect_directly(group, deadline, cancelled);
      if (cancelled) throw TransportError("given up");
      return transport;
    });
  }

 private:
  // Returns the transport without its wraps.
  virtual std::unique_ptr<Transport> connect_directly(
      const GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) = 0;

  std::vector<Wrap> wraps_;
};

} // namespace grapevine::net
