// Replicas in transfer in virtual time, over resources that they share max-min
// fairly (base/max_min_fair.h). Whenever a transfer begins or ends, those that
// share a resource with it, or with one that does, get other rates.
//
// One thread. Repeats bit for bit.
#pragma once

#include "base/max_min_fair.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace grapevine::sim {

class Transfers {
 public:
  // rates: of the resources, in bytes a second; may be infinite.
  explicit Transfers(std::vector<double> rates);

  // Under a name that no transfer in progress has. A resource that is given
  // twice is passed twice.
  void begin(int name, double bytes, std::vector<int> resources, double now);

  bool is_empty() const { return transfers_.empty(); }
  // When the first of them ends, unless another begins before; infinite if
  // there is none.
  double next_end() const;
  // Ends that one; returns its name.
  int end_next();

  // The state and back, with the same resources.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  struct Transfer {
    double bytes = 0; // left at the time `since`
    double since = 0;
    double rate = 0;
    double end = 0;
    std::vector<int> resources;
  };

  void add(int name, Transfer transfer);
  // Those that share a resource with these, or with one that does.
  std::vector<int> connected(const std::vector<int>& resources) const;
  void set_rates(const std::vector<int>& names, double now);

  std::vector<double> rates_;
  MaxMinFair fair_;
  std::vector<std::multiset<int>> passing_; // names, by resource
  std::map<int, Transfer> transfers_;
  std::set<std::pair<double, int>> ends_;
};

} // namespace grapevine::sim
