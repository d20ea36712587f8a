// Replicas on their way in virtual time, through ways that they share.
//
// A flow passes several ways (a worker's, its node's, …), each of which carries
// so many bytes a second in all. Rates are max-min fair: raised together until
// a way is full, which settles the flows that pass it; then the others', and so
// on. Whenever a flow begins or ends, those that share a way with it, or with
// one that does, get other rates.
//
// One thread. Repeats bit for bit.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace grapevine::sim {

class Flows {
 public:
  // rates: of the ways, in bytes a second; may be infinite.
  explicit Flows(std::vector<double> rates);

  // Under a name that no flow under way has. A way that is given twice is
  // passed twice.
  void begin(int name, double bytes, std::vector<int> ways, double now);

  bool is_empty() const { return flows_.empty(); }
  // When the first of them ends, unless another begins before; infinite where
  // there are none.
  double next_end() const;
  // Ends that one; its name.
  int end_next();

  // And back, with the same ways.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  struct Flow {
    double bytes = 0; // left in the moment `since`
    double since = 0;
    double rate = 0;
    double end = 0;
    std::vector<int> ways;
  };

  // Adds a flow's name to, or takes it from, the ways that it passes.
  void enlist(int name, const std::vector<int>& ways);
  void strike(int name, const std::vector<int>& ways);
  // Of all that share a way with these, or with one that does.
  std::vector<int> connected(const std::vector<int>& ways) const;
  void settle(const std::vector<int>& names, double now);

  std::vector<double> rates_;
  std::vector<std::multiset<int>> passing_; // names, by way
  std::map<int, Flow> flows_;
  std::set<std::pair<double, int>> ends_;
};

} // namespace grapevine::sim
