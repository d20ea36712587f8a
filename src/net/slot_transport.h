// What implementations of Transport have in common: operations in flight, the
// first error, which repeats for good, and the checks of arguments.
#pragma once

#include "base/check.h"
#include "base/error.h"
#include "net/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace grapevine::net {

// Calls visit(offset, length) for consecutive pieces of at most `limit` bytes;
// once, with length 0, for an empty message. Long messages travel in pieces:
// MPI counts in int, and Gloo moves one large buffer at half duplex.
template <typename Visit>
void for_each_piece(size_t bytes, size_t limit, Visit&& visit) {
  size_t offset = 0;
  do {
    const size_t length = std::min(limit, bytes - offset);
    visit(offset, length);
    offset += length;
  } while (offset < bytes);
}

// The operations in flight of one transport, named by Requests. Slots are
// reused: memory grows only when more operations are in flight than ever
// before. Addresses are stable. Not thread-safe.
template <typename Operation>
class SlotTable {
 public:
  // More than a communicator has in flight at once, except on wide graphs.
  static constexpr int kAtFirst = 64;
  SlotTable() {
    for (int i = 0; i < kAtFirst; ++i)
      add();
  }

  Request take() {
    if (free_.empty()) add();
    const Request request{free_.back()};
    free_.pop_back();
    entries_[request.slot].taken = true;
    return request;
  }

  Operation& at(Request request) {
    GV_CHECK_GE(request.slot, 0);
    GV_CHECK_LT(request.slot, static_cast<int32_t>(entries_.size()));
    Entry& entry = entries_[request.slot];
    GV_CHECK(entry.taken);
    return entry.operation;
  }

  // The operation keeps its state for the next user to overwrite or reuse.
  void give_back(Request request) {
    at(request);
    entries_[request.slot].taken = false;
    free_.push_back(request.slot);
  }

  template <typename Visit>
  void for_each_taken(Visit&& visit) {
    for (Entry& entry : entries_) {
      if (entry.taken) visit(entry.operation);
    }
  }

 private:
  void add() {
    entries_.emplace_back();
    free_.reserve(entries_.size());
    free_.push_back(static_cast<int32_t>(entries_.size()) - 1);
  }

  struct Entry {
    Operation operation;
    bool taken = false;
  };
  std::deque<Entry> entries_;
  std::vector<int32_t> free_;
};

// Throws CheckFailure for a message that no transport may be given.
inline void check_message(const Message& message, int rank, int size) {
  GV_CHECK_GE(message.peer, 0);
  GV_CHECK_LT(message.peer, size);
  if (message.peer == rank) {
    throw CheckFailure(
        fmt::format("worker {} must not send to or receive from itself", rank));
  }
  GV_CHECK_GE(message.tag, 0);
  GV_CHECK_LE(message.tag, kMaxTag);
  if (message.may_be_shorter) GV_CHECK_LE(message.bytes.size(), kMostRoom);
}

// `Operation` has a member `Message message`; `Base` is Transport or derived
// from it.
template <typename Operation, typename Base = Transport>
class SlotTransport : public Base {
 public:
  Request post(const Message& message) final {
    throw_if_failed();
    check_message(message, this->rank(), this->size());
    const Request request = slots_.take();
    Operation& operation = slots_.at(request);
    operation.message = message;
    guard([&] { begin(operation); });
    return request;
  }

  bool test(Request request) final {
    throw_if_failed();
    Operation& operation = slots_.at(request);
    bool is_done = false;
    guard([&] { is_done = advance(operation); });
    if (is_done) slots_.give_back(request);
    return is_done;
  }

  void wait(Request request, Deadline deadline) final {
    throw_if_failed();
    Operation& operation = slots_.at(request);
    bool is_done = false;
    guard([&] { is_done = complete(operation, deadline); });
    if (!is_done) time_out(operation);
    slots_.give_back(request);
  }

  void interrupt() override { interrupted_ = true; }

 protected:
  // `workers`: the ranks in the run that errors name; empty if they are those
  // of the transport.
  template <typename... Arguments>
  explicit SlotTransport(std::vector<int> workers, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        workers_(std::move(workers)) {}

  // Starts the operation, whose message is set; the rest is from its last use.
  virtual void begin(Operation& operation) = 0;
  // Returns whether the operation has completed. Never waits.
  virtual bool advance(Operation& operation) = 0;
  // Waits for it; returns false if the deadline has passed first.
  virtual bool complete(Operation& operation, Deadline deadline) = 0;
  // Is called once, after the first error of this transport's own: afterwards
  // nothing touches the bytes of any operation, and the peers find out.
  virtual void close(const std::string& /*why*/) {}

  bool is_interrupted() const { return interrupted_; }
  int worker(int peer) const {
    return workers_.empty() ? peer : workers_[peer];
  }
  bool has_failed() const { return !failure_.empty(); }

  std::string describe(const Operation& operation) const {
    const Message& message = operation.message;
    return fmt::format(
        "{} {} bytes {} worker {}",
        message.is_send ? "sending" : "receiving",
        message.bytes.size(),
        message.is_send ? "to" : "from",
        worker(message.peer));
  }

  [[noreturn]] void fail(const Operation& operation, const std::string& cause) {
    break_with<TransportError>(describe(operation) + ": " + cause);
  }

  [[noreturn]] void time_out(const Operation& operation) {
    break_with<TimeoutError>("timed out " + describe(operation));
  }

  // Keeps the message of the first error, which later calls repeat.
  template <typename Error>
  [[noreturn]] void break_with(const std::string& message) {
    if (failure_.empty()) {
      failure_ = message;
      close(message);
    }
    throw Error(message);
  }

  void throw_if_failed() {
    if (interrupted_ && failure_.empty()) failure_ = "interrupted";
    if (failure_.empty()) return;
    throw TransportError("the transport is broken: " + failure_);
  }

  SlotTable<Operation> slots_;

 private:
  // An error of a transport that is wrapped ends the wrapper too.
  template <typename Call>
  void guard(Call&& call) {
    try {
      call();
    } catch (const TransportError& error) {
      if (failure_.empty()) failure_ = error.what();
      throw;
    }
  }

  std::vector<int> workers_;
  std::string failure_;
  std::atomic<bool> interrupted_ = false;
};

} // namespace grapevine::net
