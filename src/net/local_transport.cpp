// Transports between the threads of one process.
//
// An operation that finds its partner waiting copies the bytes itself, outside
// the lock, and completes both; one that finds none is listed at the receiver.
// So bytes are copied once, and nothing is buffered.
#include "net/shared_peers.h"
#include "net/slot_transport.h"
#include "net/transports.h"

#include <condition_variable>
#include <cstring>
#include <mutex>

namespace grapevine::net {
namespace {

struct LocalOperation {
  enum class State { kListed, kCopying, kDone, kFailed };
  Message message;
  int owner = -1;
  State state = State::kDone;
  std::string error; // why it failed

  int receiver() const { return message.is_send ? message.peer : owner; }
  bool is_partner_of(const LocalOperation& other) const {
    return message.is_send != other.message.is_send &&
           owner == other.message.peer && message.peer == other.owner &&
           message.tag == other.message.tag;
  }
};

// Where the transports of one process meet. Any thread may call all functions;
// for one rank, one thread at a time, except leave.
class Hub {
 public:
  explicit Hub(int size) : members_(size) {
    // As many as a pair usually has in flight, so that none allocates later.
    constexpr size_t kListed = 64;
    for (Member& member : members_)
      member.listed.reserve(kListed);
  }

  int size() const { return static_cast<int>(members_.size()); }

  // The operation must stay where it is until it is done or has failed, or its
  // owner has left.
  void post(LocalOperation& operation) {
    std::unique_lock lock(mutex_);
    for (const int rank : {operation.owner, operation.message.peer}) {
      if (!members_[rank].left) continue;
      fail(operation, departure_of(rank));
      return;
    }
    LocalOperation* partner = take_partner(operation);
    if (partner == nullptr) {
      operation.state = State::kListed;
      members_[operation.receiver()].listed.push_back(&operation);
      return;
    }
    const bool sending = operation.message.is_send;
    const auto from = (sending ? operation : *partner).message.bytes;
    const Message& to = (sending ? *partner : operation).message;
    if (!to.takes(from.size())) {
      const auto error = fmt::format(
          "lengths differ: worker {} has {} bytes, worker {} has {}",
          operation.owner,
          operation.message.bytes.size(),
          partner->owner,
          partner->message.bytes.size());
      fail(operation, error);
      fail(*partner, error);
      return;
    }
    partner->state = State::kCopying;
    Member& other = members_[partner->owner];
    ++other.copies;
    lock.unlock();
    if (!from.empty()) {
      std::memcpy(to.bytes.data(), from.data(), from.size());
    }
    lock.lock();
    --other.copies;
    operation.state = State::kDone;
    partner->state = State::kDone;
    other.changed.notify_all();
  }

  bool is_finished(const LocalOperation& operation) {
    const std::lock_guard lock(mutex_);
    return operation.state == State::kDone || operation.state == State::kFailed;
  }

  // Returns false if the deadline has passed first.
  bool wait(const LocalOperation& operation, Deadline deadline) {
    std::unique_lock lock(mutex_);
    Member& owner = members_[operation.owner];
    while (operation.state == State::kListed) {
      if (deadline.passed()) return false;
      // A millisecond more than is left: remaining() rounds down.
      owner.changed.wait_for(
          lock,
          deadline.remaining() + std::chrono::milliseconds(1));
    }
    // A copy that has begun ends soon, whatever the deadline says.
    owner.changed.wait(lock, [&] {
      return operation.state != State::kCopying;
    });
    return true;
  }

  // The rank's listed operations are withdrawn, and its peers' operations with
  // it fail, now and later, as do its own later ones. Returns when no copy
  // touches its bytes any more. Leaving twice changes nothing.
  void leave(int rank, const std::string& reason) {
    std::unique_lock lock(mutex_);
    Member& member = members_[rank];
    if (!member.left) {
      member.left = true;
      member.reason = reason;
      fail_operations_with(rank);
    }
    member.changed.wait(lock, [&] { return member.copies == 0; });
  }

 private:
  using State = LocalOperation::State;

  // Its condition is waited for by the rank's thread, and by the thread that
  // lets the rank leave.
  struct Member {
    std::condition_variable changed;
    std::vector<LocalOperation*> listed; // for this receiver, as posted
    bool left = false;
    std::string reason;
    int copies = 0; // in progress by others, from or to this member's bytes
  };

  // These need mutex_ to be held.

  std::string departure_of(int rank) const {
    return fmt::format("worker {} is gone ({})", rank, members_[rank].reason);
  }

  LocalOperation* take_partner(const LocalOperation& operation) {
    auto& listed = members_[operation.receiver()].listed;
    const auto found =
        std::ranges::find_if(listed, [&](const LocalOperation* other) {
          return operation.is_partner_of(*other);
        });
    if (found == listed.end()) return nullptr;
    LocalOperation* partner = *found;
    listed.erase(found);
    return partner;
  }

  void fail(LocalOperation& operation, const std::string& error) {
    operation.state = State::kFailed;
    operation.error = error;
    members_[operation.owner].changed.notify_all();
  }

  void fail_operations_with(int rank) {
    const auto error = departure_of(rank);
    for (Member& receiver : members_) {
      std::erase_if(receiver.listed, [&](LocalOperation* operation) {
        const bool is_concerned =
            operation->owner == rank || operation->message.peer == rank;
        if (is_concerned) fail(*operation, error);
        return is_concerned;
      });
    }
  }

  std::mutex mutex_;
  // Guarded by mutex_, as are the state and error of every operation.
  std::vector<Member> members_;
};

class LocalTransport : public SlotTransport<LocalOperation> {
 public:
  LocalTransport(std::shared_ptr<Hub> hub, int rank)
      : SlotTransport({}),
        hub_(std::move(hub)),
        rank_(rank) {}
  ~LocalTransport() override { hub_->leave(rank_, "its transport was closed"); }

  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  std::string name() const override { return "local"; }
  std::string memory_domain() const override {
    return memory_domain_of_this_process();
  }
  void interrupt() override { hub_->leave(rank_, "interrupted"); }

 private:
  void begin(LocalOperation& operation) override {
    operation.owner = rank_;
    hub_->post(operation);
  }

  bool advance(LocalOperation& operation) override {
    if (!hub_->is_finished(operation)) return false;
    // Only this thread touches it from here on.
    if (operation.state == LocalOperation::State::kFailed) {
      fail(operation, operation.error);
    }
    return true;
  }

  bool complete(LocalOperation& operation, Deadline deadline) override {
    return hub_->wait(operation, deadline) && advance(operation);
  }

  void close(const std::string& why) override { hub_->leave(rank_, why); }

  std::shared_ptr<Hub> hub_;
  int rank_;
};

} // namespace

std::vector<std::unique_ptr<Transport>> make_local_transports(int n) {
  GV_CHECK_GE(n, 1);
  auto hub = std::make_shared<Hub>(n);
  std::vector<std::unique_ptr<Transport>> transports;
  transports.reserve(n);
  for (int rank = 0; rank < n; ++rank)
    transports.push_back(std::make_unique<LocalTransport>(hub, rank));
  return transports;
}

} // namespace grapevine::net
