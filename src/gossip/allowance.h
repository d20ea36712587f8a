// How many averagings a worker may take part in: `rate` for each of its
// gradients, on average.
//
//   poisson   after gradient k, as many as a Poisson variable of mean `rate`
//             says, drawn at (seed, rank, k): independent, as in the theory
//   exact     floor(rate (k+1)) - floor(rate k): as evenly as whole numbers
//             allow
#pragma once

#include <cstdint>
#include <string>

namespace grapevine::gossip {

enum class Averagings { kPoisson, kExact };

// After the gradient with this number, from 0.
int64_t allowance(
    Averagings kind,
    double rate,
    uint64_t seed,
    int rank,
    int64_t gradient);

} // namespace grapevine::gossip
