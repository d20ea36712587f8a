// Tries to connect, each on a thread of its own, since it may have to wait for
// a peer that died on the way; and who can be connected with whom if all of
// them could not be at once: one is cut off from others, and yet in the store.
#pragma once

#include "net/wrap.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::member {

class Attempt {
 public:
  // Connects until the deadline; after a failure that was not asked for it
  // pauses, so that hopeless tries are not many. `finished` is called at the
  // end, from the attempt's thread. Throws std::system_error if there can be
  // no thread.
  Attempt(
      net::GroupFactory& factory,
      net::GroupSpec group,
      Deadline deadline,
      std::chrono::milliseconds pause = {},
      std::function<void()> finished = {});
  // Cancels and waits.
  ~Attempt() { cancel(); }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  void cancel() { cancelled_ = true; }
  bool is_over() const { return is_over_; }

  // Once it is over: the transport, or null.
  bool has_succeeded() const { return transport_ != nullptr; }
  std::unique_ptr<net::Transport> take() { return std::move(transport_); }

 private:
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> is_over_ = false;
  std::unique_ptr<net::Transport> transport_; // the reader's once it is over
  std::jthread thread_;                       // last: it uses the others
};

// Whom each worker has reached. One that is not there has not tried.
using Reach = std::map<int, std::set<int>>;

// Returns those of `ranks` who reach each other: the worker that reaches the
// fewest of those left is left out, of several the one of the highest rank,
// until each reaches all. A pair reaches each other if both say so; a worker
// that is not in `reach` is assumed to reach all. Ranks ascend.
std::vector<int> who_reach_each_other(
    std::vector<int> ranks,
    const Reach& reach);

// One worker's tries to be connected with each of the others, all of which try
// at the same time. Those that succeed stay connected as long as this lives:
// the other end may not have noticed yet. One thread for each other worker.
class ReachProbe {
 public:
  // `name` is the same for all, and of this probe alone.
  ReachProbe(
      net::GroupFactory& factory,
      const std::string& name,
      int self,
      const std::vector<int>& others,
      Deadline deadline);

  // Whether nothing is to come, but perhaps from those who are known to be
  // dead.
  bool is_over(const std::function<bool(int rank)>& is_dead) const;
  std::set<int> reached() const; // so far

 private:
  std::map<int, std::unique_ptr<Attempt>> attempts_; // by the other's rank
};

} // namespace grapevine::member
