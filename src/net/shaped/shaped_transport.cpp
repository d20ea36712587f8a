#include "net/shaped/shaped_transport.h"

#include "base/check.h"
#include "net/failure.h"
#include "net/shaped/lane.h"
#include "net/slot_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace grapevine::net {
namespace {

struct ShapedOperation {
  Direction direction = Direction::kSend;
  int peer = -1;
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

class ShapedTransport : public Transport {
 public:
  ShapedTransport(
      std::unique_ptr<Transport> inner,
      const GroupSpec& group,
      int descriptor)
      : table_(descriptor),
        inner_(std::move(inner)),
        rank_(inner_->rank()),
        size_(inner_->size()),
        workers_(group.workers),
        name_(inner_->name()),
        place_(inner_->local_place()) {
    GV_CHECK_EQ(static_cast<int>(workers_.size()), size_);
    for (const int peer : workers_)
      lanes_.emplace_back(workers_[rank_], peer, link_number(group.name));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return name_; }
  std::optional<LocalPlace> local_place() const override { return place_; }

  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    return post(Direction::kSend, bytes.size(), peer, tag, [&] {
      return inner_->send(bytes, peer, tag);
    });
  }

  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    return post(Direction::kRecv, bytes.size(), peer, tag, [&] {
      return inner_->recv(bytes, peer, tag);
    });
  }

  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) override {
    check_room(room.size());
    return post(Direction::kRecv, room.size(), peer, tag, [&] {
      return inner_->recv_at_most(room, peer, tag);
    });
  }

  bool test(Request request) override {
    failure_.throw_if_happened();
    ShapedOperation& operation = slots_.at(request);
    if (!operation.inner_is_done) {
      failure_.guard(
          [&] { operation.inner_is_done = inner_->test(operation.inner); });
    }
    if (!operation.inner_is_done) return false;
    if (operation.is_shaped && next_look(operation)) return false;
    slots_.give_back(request);
    return true;
  }

  void wait(Request request, Deadline deadline) override {
    failure_.throw_if_happened();
    ShapedOperation& operation = slots_.at(request);
    if (!operation.inner_is_done) {
      failure_.guard([&] { inner_->wait(operation.inner, deadline); });
      operation.inner_is_done = true;
    }
    while (operation.is_shaped) {
      const auto again = next_look(operation);
      if (!again) break;
      if (interrupted_) give_up(operation);
      if (deadline.passed()) time_out(operation);
      sleep_until(*again, deadline);
    }
    slots_.give_back(request);
  }

  bool progress() override { return inner_ != nullptr && inner_->progress(); }

  void interrupt() override {
    interrupted_ = true;
    const std::lock_guard lock(inner_mutex_);
    if (inner_ != nullptr) inner_->interrupt();
  }

 private:
  template <typename PostInner>
  Request post(
      Direction direction,
      size_t bytes,
      int peer,
      Tag tag,
      PostInner&& post_inner) {
    failure_.throw_if_happened();
    check_operation(rank_, size_, peer, tag);
    const Request request = slots_.take();
    ShapedOperation& operation = slots_.at(request);
    operation = {.direction = direction, .peer = peer};
    operation.passage.bytes = static_cast<int64_t>(bytes);
    operation.passage.tag = tag;
    operation.is_shaped = table_.connects(workers_[rank_], workers_[peer]);
    // The table first: who has the payload finds its message there.
    failure_.guard([&] {
      if (operation.is_shaped) enter(operation);
      operation.inner = post_inner();
    });
    return request;
  }

  void enter(ShapedOperation& operation) {
    LinkTable::Session session(table_);
    Lane& lane = lanes_[operation.peer];
    if (operation.direction == Direction::kSend) {
      lane.send(session, operation.passage);
    } else {
      lane.receive(session, operation.passage);
    }
  }

  // When to look again whether the message is through; nothing if it is.
  std::optional<double> next_look(ShapedOperation& operation) {
    const bool is_send = operation.direction == Direction::kSend;
    const double delay =
        is_send ? 0
                : table_.limits(workers_[operation.peer], workers_[rank_])
                      .delay_seconds;
    Passage& passage = operation.passage;
    if (passage.finish < 0) failure_.guard([&] { look(operation); });
    if (passage.finish < 0) return again_;
    const double when = passage.finish + delay;
    return monotonic_seconds() < when ? std::optional(when) : std::nullopt;
  }

  // At all lanes: others wait for what this worker has read.
  void look(ShapedOperation& operation) {
    LinkTable::Session session(table_);
    for (Lane& lane : lanes_)
      lane.look(session);
    const Passage& passage = operation.passage;
    const bool is_send = operation.direction == Direction::kSend;
    const int me = workers_[rank_];
    const int peer = workers_[operation.peer];
    const int from = is_send ? me : peer;
    const int to = is_send ? peer : me;
    // The receive was posted, so its message must not wait for others.
    if (!is_send && passage.end >= 0) {
      session.want_up_to(from, to, passage.end);
    }
    again_ = session.earliest_finish(from, to, passage.end);
  }

  [[noreturn]] void time_out(const ShapedOperation& operation) {
    const auto message = "timed out " + describe(operation);
    failure_.remember(message);
    const std::lock_guard lock(inner_mutex_);
    inner_.reset(); // so that the peers know, and no byte is touched any more
    throw TimeoutError(message);
  }

  [[noreturn]] void give_up(const ShapedOperation& operation) {
    const auto message = describe(operation) + ": interrupted";
    failure_.remember(message);
    throw TransportError(message);
  }

  std::string describe(const ShapedOperation& operation) const {
    return net::describe(
        operation.direction,
        operation.passage.bytes,
        workers_[operation.peer]);
  }

  LinkTable table_;
  std::mutex inner_mutex_; // between its end and an interruption
  std::unique_ptr<Transport> inner_;
  std::atomic<bool> interrupted_ = false;
  int rank_;
  int size_;
  std::vector<int> workers_; // of the run, by rank here
  std::string name_;
  std::optional<LocalPlace> place_;
  std::vector<Lane> lanes_; // by peer
  SlotTable<ShapedOperation> slots_;
  double again_ = 0; // of the last look
  Failure failure_;
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
