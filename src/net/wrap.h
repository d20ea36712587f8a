// Transports around transports: limited links, packed messages, shared memory,
// counting (net/wraps.h). A list of wraps states what is put around a transport
// once it is connected, the first next to the network.
#pragma once

#include "net/transport.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace grapevine::net {

// Workers of a run that a transport connects, or is going to.
struct GroupSpec {
  // The same for all members, and never used twice in a run. Empty: the group
  // of all workers, which is connected once.
  std::string name;
  std::vector<int> workers; // ranks in the run, ascending
  int self = 0;             // index of this worker among them
};

struct Wrap {
  // Called before the group is connected, by all of its members. May be null.
  std::function<void(const GroupSpec&)> prepare;
  // Returns the transport to use instead. `inner` connects the group: its rank
  // i is workers[i], which is what errors call it. May talk over `inner` until
  // the deadline.
  std::function<std::unique_ptr<Transport>(
      std::unique_ptr<Transport> inner,
      const GroupSpec& group,
      Deadline deadline)>
      apply;
};

// Wraps a transport of all workers of a run.
std::unique_ptr<Transport> wrap(
    std::unique_ptr<Transport> inner,
    const std::vector<Wrap>& wraps,
    Deadline deadline);

// Does what another transport does, which it keeps alive; wraps derive from it.
class WrappedTransport : public Transport {
 public:
  explicit WrappedTransport(std::shared_ptr<Transport> inner)
      : inner_(std::move(inner)),
        rank_(inner_->rank()),
        size_(inner_->size()),
        name_(inner_->name()),
        local_place_(inner_->local_place()),
        memory_domain_(inner_->memory_domain()) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return name_; }
  std::optional<LocalPlace> local_place() const override {
    return local_place_;
  }
  std::string memory_domain() const override { return memory_domain_; }
  Request post(const Message& message) override {
    return inner_->post(message);
  }
  bool test(Request request) override { return inner_->test(request); }
  void wait(Request request, Deadline deadline) override {
    inner_->wait(request, deadline);
  }
  bool progress() override { return inner_ != nullptr && inner_->progress(); }
  void interrupt() override { interrupt_inner(); }

 protected:
  Transport& inner() { return *inner_; }
  // Drops it, so that the peers find out and nothing touches the bytes of its
  // operations any more.
  void close_inner() {
    const std::lock_guard lock(mutex_);
    inner_.reset();
  }
  void interrupt_inner() {
    const std::lock_guard lock(mutex_);
    if (inner_ != nullptr) inner_->interrupt();
  }

 private:
  std::mutex mutex_; // between the end of `inner_` and an interruption
  std::shared_ptr<Transport> inner_;
  int rank_;
  int size_;
  std::string name_;
  std::optional<LocalPlace> local_place_;
  std::string memory_domain_;
};

// Connects workers that have agreed to be connected.
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
      const std::atomic<bool>& cancelled);

 private:
  // Returns the transport without its wraps.
  virtual std::unique_ptr<Transport> connect_directly(
      const GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) = 0;

  std::vector<Wrap> wraps_;
};

} // namespace grapevine::net
