// A store and a factory inside one process, for edges in threads.
#pragma once

#include "net/key_value_store.h"
#include "net/transports.h"
#include "net/wrap.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

namespace grapevine::net::testing {

class MemoryStore : public KeyValueStore {
 public:
  int64_t add(const std::string& key, int64_t amount) override {
    const std::lock_guard lock(mutex_);
    check();
    return counters_[key] += amount;
  }
  void set(const std::string& key, const std::string& text) override {
    const std::lock_guard lock(mutex_);
    check();
    texts_[key] = text;
  }
  std::optional<std::string> get(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    check();
    const auto found = texts_.find(key);
    if (found == texts_.end()) return std::nullopt;
    return found->second;
  }
  std::string set_once(const std::string& key, const std::string& text)
      override {
    const std::lock_guard lock(mutex_);
    check();
    return texts_.emplace(key, text).first->second;
  }

  // Out of reach, and back.
  void set_reachable(bool is_reachable) {
    const std::lock_guard lock(mutex_);
    is_reachable_ = is_reachable;
  }

 private:
  void check() const {
    if (!is_reachable_) throw TransportError("the store is out of reach");
  }

  std::mutex mutex_;
  std::map<std::string, int64_t> counters_;
  std::map<std::string, std::string> texts_;
  bool is_reachable_ = true;
};

// Connects a group by local transports once all its members have come.
class LocalGroupFactory : public GroupFactory {
 public:
  using GroupFactory::GroupFactory;

  std::unique_ptr<Transport> connect_directly(
      const GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    std::unique_lock lock(mutex_);
    for (const int worker : group.workers) {
      if (cut_.contains(worker)) throw TransportError("cut off");
    }
    Meeting& meeting = meetings_[group.name];
    const size_t size = group.workers.size();
    if (meeting.transports.empty())
      meeting.transports = make_local_transports(static_cast<int>(size));
    auto mine = std::move(meeting.transports[group.self]);
    if (mine == nullptr) throw TransportError("met twice: " + group.name);
    ++meeting.come;
    changed_.notify_all();
    while (meeting.come < size) {
      if (cancelled) throw TransportError("given up");
      if (deadline.passed()) throw TimeoutError("timed out");
      changed_.wait_for(lock, std::chrono::milliseconds(5));
    }
    return mine;
  }

  // From now on nobody can be connected with this worker.
  void cut(int worker) {
    const std::lock_guard lock(mutex_);
    cut_.insert(worker);
  }

 private:
  struct Meeting {
    std::vector<std::unique_ptr<Transport>> transports;
    size_t come = 0;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Meeting> meetings_;
  std::set<int> cut_;
};

} // namespace grapevine::net::testing
