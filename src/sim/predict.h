// The iteration time of all candidates for some numbers of workers, from costs,
// by the runtime model. Nothing is measured here, so all of it repeats.
#pragma once

#include "sim/question.h"
#include "sim/trials.h"

#include <vector>

namespace grapevine::sim {

struct Forecast {
  std::vector<Prediction> rows; // in the order of candidates()
  std::vector<Skipped> skipped; // a graph that n does not allow
};

// For every n, all candidates. The costs are checked.
Forecast predict(const Question& question, const std::vector<int>& ns);

} // namespace grapevine::sim
