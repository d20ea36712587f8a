// The runs that an analysis compares, by group, stratum and seed, and the parts
// of the analysis. Internal to it.
#pragma once

#include "report/analysis.h"
#include "report/grouping.h"
#include "report/run_data.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace grapevine::report {

// Borrows runs and grouping.
class Sample {
 public:
  Sample(const std::vector<RunData>& runs, const Grouping& grouping);

  const std::vector<RunData>& runs() const { return runs_; }
  const std::vector<Group>& groups() const { return grouping_.groups; }
  const Group& group(int id) const { return grouping_.groups[id]; }
  bool has_key(const std::string& key) const;

  // Different strata, in the order of the groups.
  const std::vector<Choices>& strata() const { return strata_; }
  std::vector<int> groups_in(const Choices& stratum) const;
  // The runs of a group that count.
  std::vector<int> runs_of(int group) const;
  // The decentralized runs of a stratum that count.
  std::vector<int> decentralized_in(const Choices& stratum) const;

  // figure(run) by seed, over the runs of a group that count; the mean if a
  // seed has several. What is not finite is left out.
  BySeed by_seed(int group, const std::function<double(const RunData&)>& figure)
      const;
  BySeed accuracy_by_seed(int group) const;

  // "; 2 of 15 runs diverged", or nothing.
  std::string diverged_text(const std::vector<int>& runs) const;

 private:
  const std::vector<RunData>& runs_;
  const Grouping& grouping_;
  std::vector<Choices> strata_;
};

// "At n = 96 " + rest; for the only stratum the rest alone, its first letter
// made large.
std::string sentence_at(const Choices& stratum, const std::string& rest);
// The same if the rest begins with a name, which stays as it is.
std::string sentence_at_name(const Choices& stratum, const std::string& rest);

// Returns a ranking of each stratum that has a group with a run that counts.
std::vector<Ranking> rank_groups(const Sample& sample);

// Without `target`: see analyse().
Target reach_target(const Sample& sample, std::optional<double> target);

// Returns the first evaluation at or above an accuracy; null if there is none.
const Milestone* first_reaching(const RunData& run, double accuracy);

// Returns the rank correlations of accuracy of each stratum and, if there are
// several, of all: first with the number of connections (the mean degree), then
// with each metric in each phase. Those that are undefined (fewer than 3 runs,
// or nothing varies) are left out.
std::vector<Correlation> correlate(const Sample& sample);

// Returns the differences between groups that are asked for: the largest and
// the smallest scale, the scalings of the learning rate, Ada and its rivals.
std::vector<Comparison> compare(const Sample& sample);

// Returns the sentences that follow from what the analysis holds so far;
// correlations need 3 seeds, since of two the bootstrap knows too little.
std::vector<std::string> find(const Sample& sample, const Analysis& analysis);

} // namespace grapevine::report
