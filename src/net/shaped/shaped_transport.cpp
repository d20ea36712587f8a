// A transport whose messages arrive when they would over limited links.
#include "net/shaped/lane.h"
#include "net/slot_transport.h"
#include "net/wraps.h"

#include <thread>

namespace grapevine::net {
namespace {

struct ShapedOperation {
  Message message;
  Request inner;
  bool inner_is_done = false;
  bool is_shaped = false;
  Passage passage;
};

void sleep_until(double when, Deadline deadline) {
  const std::chrono::duration<double> wanted(when - monotonic_seconds());
  const std::chrono::duration<double> most = deadline.remaining();
  // A deadline is in whole milliseconds; not to sleep at all would be a spin.
  constexpr std::chrono::duration<double> kLeast(50e-6);
  std::this_thread::sleep_for(std::max(std::min(wanted, most), kLeast));
}

// Returns 0 for the group of all workers. Others have an FNV-1a hash of their
// name, of 64 bits; two of a run hardly ever have the same.
uint64_t link_number(const std::string& name) {
  if (name.empty()) return 0;
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char letter : name) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3ull;
  }
  return hash | 1;
}

class ShapedTransport
    : public SlotTransport<ShapedOperation, WrappedTransport> {
 public:
  ShapedTransport(
      std::unique_ptr<Transport> inner,
      const GroupSpec& group,
      int descriptor)
      : SlotTransport(group.workers, std::move(inner)),
        table_(descriptor) {
    GV_CHECK_EQ(static_cast<int>(group.workers.size()), size());
    for (const int peer : group.workers)
      lanes_.emplace_back(worker(rank()), peer, link_number(group.name));
  }

  // It emulates a network, so no memory is shared past it.
  std::string memory_domain() const override { return {}; }

  void interrupt() override {
    SlotTransport::interrupt();
    interrupt_inner();
  }

 private:
  void begin(ShapedOperation& operation) override {
    const Message& message = operation.message;
    const int me = worker(rank());
    operation.inner_is_done = false;
    operation.is_shaped = table_.connects(me, worker(message.peer));
    // The table first: who has the payload finds its message there.
    if (operation.is_shaped) {
      operation.passage = {
          .bytes = static_cast<int64_t>(message.bytes.size()),
          .tag = message.tag};
      LinkTable::Session session(table_);
      Lane& lane = lanes_[message.peer];
      if (message.is_send) {
        lane.send(session, operation.passage);
      } else {
        lane.receive(session, operation.passage);
      }
    }
    operation.inner = inner().post(message);
  }

  bool advance(ShapedOperation& operation) override {
    if (!operation.inner_is_done) {
      operation.inner_is_done = inner().test(operation.inner);
    }
    return operation.inner_is_done && !next_look(operation);
  }

  bool complete(ShapedOperation& operation, Deadline deadline) override {
    if (!operation.inner_is_done) inner().wait(operation.inner, deadline);
    operation.inner_is_done = true;
    while (const auto again = next_look(operation)) {
      if (is_interrupted()) fail(operation, "interrupted");
      if (deadline.passed()) return false;
      sleep_until(*again, deadline);
    }
    return true;
  }

  void close(const std::string& /*why*/) override { close_inner(); }

  // Returns when to look again whether the message is through; nothing if it
  // is.
  std::optional<double> next_look(ShapedOperation& operation) {
    if (!operation.is_shaped) return std::nullopt;
    Passage& passage = operation.passage;
    const int me = worker(rank());
    const int peer = worker(operation.message.peer);
    if (passage.finish < 0) {
      const auto again = look(operation);
      if (passage.finish < 0) return again;
    }
    const double delay =
        operation.message.is_send ? 0 : table_.limits(peer, me).delay_seconds;
    const double when = passage.finish + delay;
    return monotonic_seconds() < when ? std::optional(when) : std::nullopt;
  }

  // Looks at all lanes: others wait for what this worker has read. Returns
  // when to look again.
  double look(ShapedOperation& operation) {
    LinkTable::Session session(table_);
    for (Lane& lane : lanes_)
      lane.look(session);
    const Passage& passage = operation.passage;
    int from = worker(rank());
    int to = worker(operation.message.peer);
    if (!operation.message.is_send) {
      std::swap(from, to);
      // The receive was posted, so its message must not wait for others.
      if (passage.end >= 0) session.want_up_to(from, to, passage.end);
    }
    return session.earliest_finish(from, to, passage.end);
  }

  LinkTable table_;
  std::vector<Lane> lanes_; // by peer
};

void prepare_links(int descriptor, const GroupSpec& group) {
  if (group.name.empty()) return;
  LinkTable table(descriptor);
  LinkTable::Session session(table);
  const int me = group.workers[group.self];
  const uint64_t number = link_number(group.name);
  for (size_t i = group.self + 1; i < group.workers.size(); ++i) {
    session.begin_link(me, group.workers[i], number);
    session.begin_link(group.workers[i], me, number);
  }
}

void check_size(int descriptor, int size) {
  const int workers = LinkTable(descriptor).workers();
  if (workers == size) return;
  throw ConfigError(fmt::format(
      "the table of links is for {} workers, but there are {}",
      workers,
      size));
}

} // namespace

Wrap shape_links(int descriptor) {
  return {
      .prepare =
          [=](const GroupSpec& group) { prepare_links(descriptor, group); },
      .apply = [=](std::unique_ptr<Transport> inner,
                   const GroupSpec& group,
                   Deadline) -> std::unique_ptr<Transport> {
        if (group.name.empty()) check_size(descriptor, inner->size());
        return std::make_unique<ShapedTransport>(
            std::move(inner),
            group,
            descriptor);
      }};
}

} // namespace grapevine::net
