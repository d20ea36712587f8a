// s^2 / m
#include "record/metrics/metrics.h"

namespace grapevine::record {

Metric index_of_dispersion() {
  return {
      .name = "index_of_dispersion",
      .title = "index of dispersion",
      .meaning =
          "Variance of the norms over their mean; the only metric here that "
          "grows with the scale of the tensor.",
      .measure = [](const NormSample& s) { return s.variance() / s.mean(); }};
}

} // namespace grapevine::record
