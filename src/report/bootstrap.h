// The percentile bootstrap over seeds: what would the figure have been with
// other seeds? Seeds are drawn with replacement, as many as there are; all that
// belongs to a drawn seed comes along, as often as the seed was drawn, since
// runs of one seed share their data order and initial values. Of few seeds
// there are few drawings: with three, the interval reaches about from the
// lowest to the highest seed.
#pragma once

#include "report/statistics.h"

#include <cstdint>
#include <functional>
#include <span>

namespace grapevine::report {

inline constexpr int kBootstrapDrawings = 2000;

// item_seeds[i] is the seed of item i; `figure` gets how often each item was
// drawn. The 2.5 % and 97.5 % quantiles (type 7) over the drawings in which the
// figure is defined; no interval with fewer than 2 seeds or where it is defined
// in less than half of the drawings. The same for the same input: chance has a
// fixed seed.
Interval bootstrap_over_seeds(
    std::span<const uint64_t> item_seeds,
    const std::function<double(std::span<const int> counts)>& figure,
    int drawings = kBootstrapDrawings);

} // namespace grapevine::report
