// The operations in flight of one transport, named by Requests. Slots are
// reused, so that nothing is allocated once as many are in flight as ever
// will be. Addresses are stable. Not thread-safe.
#pragma once

#include "base/check.h"
#include "net/transport.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace grapevine::net {

template <typename Operation>
class SlotTable {
 public:
  // More than a communicator has in flight at once, but for wide graphs.
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

  // The operation keeps its state for the next taker to overwrite or reuse.
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

} // namespace grapevine::net
