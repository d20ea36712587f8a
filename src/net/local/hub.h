// Where the transports of one process meet.
//
// An operation that finds its partner waiting copies the bytes itself, outside
// the lock, and completes both; one that finds none is listed at the receiver.
// So bytes are copied once, and nothing is buffered.
#pragma once

#include "net/failure.h"
#include "net/transport.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace grapevine::net {

struct LocalOperation {
  enum class State { kListed, kCopying, kDone, kFailed };
  Direction direction = Direction::kSend;
  int owner = -1;
  int peer = -1;
  Tag tag = 0;
  std::byte* data = nullptr; // read only when sending
  size_t length = 0;
  bool may_be_shorter = false; // what is received
  State state = State::kDone;
  std::string error; // why it failed
};

// All functions may be called from any thread; for one rank, from one thread
// at a time, but for leave.
class LocalHub {
 public:
  explicit LocalHub(int size);

  int size() const { return static_cast<int>(members_.size()); }

  // The operation, filled in but for its state, must stay where it is until
  // it is done or has failed, or its owner has left.
  void post(LocalOperation& operation);

  bool finished(const LocalOperation& operation);
  // False if the deadline has passed first.
  bool wait(const LocalOperation& operation, Deadline deadline);

  // The rank's listed operations are withdrawn, and its peers' operations with
  // it fail, now and later, as do its own later ones. Returns when no copy
  // touches its bytes any more. Leaving twice changes nothing.
  void leave(int rank, const std::string& reason);

 private:
  using State = LocalOperation::State;

  // One for each rank. Its condition is waited for by the rank's thread, and
  // by whoever lets the rank leave.
  struct Member {
    std::condition_variable changed;
    std::vector<LocalOperation*> listed; // for this receiver, as posted
    bool left = false;
    std::string reason;
    int copies = 0; // in progress by others, from or to this member's bytes
  };

  // These want mutex_ to be held.
  LocalOperation* take_partner(const LocalOperation& operation);
  void fail(LocalOperation& operation, const std::string& error);
  void fail_operations_with(int rank);

  std::mutex mutex_;
  // Guarded by mutex_, like the state and error of every operation.
  std::vector<Member> members_;
};

} // namespace grapevine::net
