#include "report/analysis.h"

#include "report/comparisons.h"
#include "report/correlations.h"
#include "report/findings.h"
#include "report/rankings.h"
#include "report/sample.h"

namespace grapevine::report {

Analysis analyse(
    const std::vector<RunData>& runs,
    const Grouping& grouping,
    std::optional<double> target) {
  const Sample sample(runs, grouping);
  Analysis analysis;
  analysis.target = reach_target(sample, target);
  analysis.rankings = rank_groups(sample);
  analysis.correlations = correlate(sample);
  for (auto&& list :
       {compare_scales(sample),
        compare_scalings(sample),
        compare_ada(sample)}) {
    analysis.comparisons.insert(
        analysis.comparisons.end(),
        list.begin(),
        list.end());
  }
  analysis.findings = find(sample, analysis);
  return analysis;
}

} // namespace grapevine::report
