// Chance that Dirichlet splits are made of.
#pragma once

#include "base/random.h"

#include <vector>

namespace grapevine::data {

// `count` shares from the symmetric Dirichlet(alpha): positive, their sum 1.
// alpha > 0; shares below 1e-30 are 1e-30.
std::vector<double> draw_dirichlet(Random& random, int count, double alpha);

} // namespace grapevine::data
