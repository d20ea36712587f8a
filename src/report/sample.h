// The runs that an analysis compares, by group, stratum and seed. Borrows
// runs and grouping.
#pragma once

#include "report/grouping.h"
#include "report/run_data.h"
#include "report/student.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace grapevine::report {

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

  // figure(run) by seed, over the runs of a group that count; the mean where
  // a seed has several. What is not finite is left out.
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
// The same where the rest begins with a name, which stays as it is.
std::string sentence_at_name(const Choices& stratum, const std::string& rest);

} // namespace grapevine::report
