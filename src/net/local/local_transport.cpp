#include "base/shared_memory.h"
#include "net/failure.h"
#include "net/local/hub.h"
#include "net/slot_table.h"
#include "net/transports.h"

#include <fmt/format.h>

namespace grapevine::net {
namespace {

class LocalTransport : public Transport {
 public:
  LocalTransport(std::shared_ptr<LocalHub> hub, int rank)
      : hub_(std::move(hub)),
        rank_(rank) {}

  ~LocalTransport() override { hub_->leave(rank_, "its transport was closed"); }

  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  std::string name() const override { return "local"; }
  std::string memory_domain() const override {
    return memory_domain_of_this_process();
  }

  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    // The hub only reads through the pointer of a send.
    return post(
        Direction::kSend,
        {const_cast<std::byte*>(bytes.data()), bytes.size()},
        peer,
        tag);
  }

  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    return post(Direction::kRecv, bytes, peer, tag);
  }

  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) override {
    check_room(room.size());
    return post(Direction::kRecv, room, peer, tag, /*may_be_shorter=*/true);
  }

  bool test(Request request) override {
    failure_.throw_if_happened();
    LocalOperation& operation = slots_.at(request);
    if (!hub_->finished(operation)) return false;
    finish(request, operation);
    return true;
  }

  void wait(Request request, Deadline deadline) override {
    failure_.throw_if_happened();
    LocalOperation& operation = slots_.at(request);
    if (hub_->wait(operation, deadline)) {
      finish(request, operation);
      return;
    }
    const auto message = fmt::format(
        "timed out {}",
        describe(operation.direction, operation.length, operation.peer));
    give_up(message);
    throw TimeoutError(message);
  }

  void interrupt() override { hub_->leave(rank_, "interrupted"); }

 private:
  Request post(
      Direction direction,
      std::span<std::byte> bytes,
      int peer,
      Tag tag,
      bool may_be_shorter = false) {
    failure_.throw_if_happened();
    check_operation(rank_, size(), peer, tag);
    const Request request = slots_.take();
    LocalOperation& operation = slots_.at(request);
    operation.direction = direction;
    operation.owner = rank_;
    operation.peer = peer;
    operation.tag = tag;
    operation.data = bytes.data();
    operation.length = bytes.size();
    operation.may_be_shorter = may_be_shorter;
    hub_->post(operation);
    return request;
  }

  // Only this thread and one that completes the operation touch it, and the
  // latter is done.
  void finish(Request request, LocalOperation& operation) {
    if (operation.state == LocalOperation::State::kFailed) {
      const auto message = fmt::format(
          "{}: {}",
          describe(operation.direction, operation.length, operation.peer),
          operation.error);
      give_up(message);
      throw TransportError(message);
    }
    slots_.give_back(request);
  }

  void give_up(const std::string& message) {
    failure_.remember(message);
    hub_->leave(rank_, message);
  }

  std::shared_ptr<LocalHub> hub_;
  int rank_;
  SlotTable<LocalOperation> slots_;
  Failure failure_;
};

} // namespace

std::vector<std::unique_ptr<Transport>> make_local_transports(int n) {
  GV_CHECK_GE(n, 1);
  auto hub = std::make_shared<LocalHub>(n);
  std::vector<std::unique_ptr<Transport>> transports;
  transports.reserve(n);
  for (int rank = 0; rank < n; ++rank) {
    transports.push_back(std::make_unique<LocalTransport>(hub, rank));
  }
  return transports;
}

} // namespace grapevine::net
