// Who can be connected with whom, where all of them could not be at once: one
// is cut off from others, and yet in the store.
#pragma once

#include "member/attempt.h"
#include "net/group_factory.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace grapevine::member {

// Whom each worker has reached. One that is not there has not tried.
using Reach = std::map<int, std::set<int>>;

// Those of `ranks` who reach each other: whoever reaches the fewest of those
// that are left is left out, of several the one of the highest rank, until each
// reaches all. A pair reaches each other if both say so; of whoever is not in
// `reach` the best is assumed. Ranks ascend.
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
