// s / m
#include "record/metrics/metrics.h"

#include <cmath>

namespace grapevine::record {

Metric coefficient_of_variation() {
  return {
      .name = "coefficient_of_variation",
      .title = "coefficient of variation",
      .meaning = "Standard deviation of the norms over their mean.",
      .measure = [](const NormSample& s) {
        return std::sqrt(s.variance()) / s.mean();
      }};
}

} // namespace grapevine::record
