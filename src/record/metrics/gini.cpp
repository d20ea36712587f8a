// sum_ij |s_i - s_j| / (2 n^2 m)
#include "record/metrics/metrics.h"

namespace grapevine::record {

Metric gini() {
  return {
      .name = "gini",
      .title = "Gini coefficient",
      .meaning =
          "Mean difference between two replicas' norms, in units of twice the "
          "mean norm.",
      .measure = [](const NormSample& s) {
        return s.half_differences() / (s.size() * s.size() * s.mean());
      }};
}

} // namespace grapevine::record
