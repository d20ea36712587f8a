#include "net/wrap.h"

#include <numeric>

namespace grapevine::net {
namespace {

template <typename Connect>
std::unique_ptr<Transport> connect_wrapped(
    const std::vector<Wrap>& wraps,
    const GroupSpec& group,
    Deadline deadline,
    const Connect& connect) {
  for (const Wrap& wrap : wraps) {
    if (wrap.prepare) wrap.prepare(group);
  }
  std::unique_ptr<Transport> transport = connect();
  for (const Wrap& wrap : wraps)
    transport = wrap.apply(std::move(transport), group, deadline);
  return transport;
}

} // namespace

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

std::unique_ptr<Transport> GroupFactory::connect(
    const GroupSpec& group,
    Deadline deadline,
    const std::atomic<bool>& cancelled) {
  return connect_wrapped(wraps_, group, deadline, [&] {
    auto transport = connect_directly(group, deadline, cancelled);
    if (cancelled) throw TransportError("cancelled");
    return transport;
  });
}

} // namespace grapevine::net
