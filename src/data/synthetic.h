// Gaussian clusters, one a class, for tests and for machines without data:
//
//   sample i of class c = i mod classes:  x = 0.2 m_c + e_i
//
// with m_c and e_i standard normal in every element, so that centres of
// {1, 28, 28} stand about 8 noise standard deviations apart: learnt by an MLP
// in a few epochs, not by chance. The numbers are addressed: centres by (seed,
// kSynthetic, 0, c), noise by (seed, kSynthetic, 1 for training or 2 for test,
// i), so a longer set begins with the shorter one's samples.
#pragma once

#include "data/source.h"

namespace grapevine::data {

// Throws ConfigError for sizes outside of what synthetic_* can be.
Dataset make_synthetic(const DataOptions& options);

} // namespace grapevine::data
