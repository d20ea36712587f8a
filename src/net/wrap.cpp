#include "net/wrap.h"

#include <numeric>

namespace grapevine::net {

std::unique_ptr<Transport> connect_wrapped(
    const std::vector<Wrap>& wraps,
    const GroupSpec& group,
    Deadline deadline,
    const std::function<std::unique_ptr<Transport>()>& connect) {
  for (const Wrap& wrap : wraps) {
    if (wrap.prepare) wrap.prepare(group);
  }
  auto transport = connect();
  for (const Wrap& wrap : wraps)
    transport = wrap.apply(std::move(transport), group, deadline);
  return transport;
}

std::unique_ptr<Transport> wrap(
    std::unique_ptr<Transport> inner,
    const std::vector<Wrap>& wraps,
    Deadline deadline) {
  GroupSpec group{.name = "", .workers = {}, .self = inner->rank()};
  group.workers.resize(inner->size());
  std::iota(group.workers.begin(), group.workers.end(), 0);
  return connect_wrapped(wraps, group, deadline, [&] {
    return std::move(inner);
  });
}

} // namespace grapevine::net
