// (Q3 - Q1) / (Q3 + Q1), quartiles of type 7
#include "record/metrics/metrics.h"

namespace grapevine::record {

Metric quartile_coefficient() {
  return {
      .name = "quartile_coefficient",
      .title = "quartile coefficient",
      .meaning =
          "Distance of the quartiles of the norms over their sum; "
          "outliers do not move it.",
      .measure = [](const NormSample& s) {
        const double q1 = s.quantile(0.25);
        const double q3 = s.quantile(0.75);
        return (q3 - q1) / (q3 + q1);
      }};
}

} // namespace grapevine::record
