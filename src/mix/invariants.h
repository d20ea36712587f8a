// What must hold in a run, for --check.
#pragma once

#include "graph/mixing.h"
#include "mix/cluster.h"
#include "tensor/layout.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

// Rows of W sum to 1, no weight is negative, and what W keeps is the sum that
// the workers' own weights count (push-sum's; else all 1, and W is doubly
// stochastic):
//
//   sum_i after_i W_ij = before_j
//
// Error names the step and the worker.
void check_stochastic(
    const graph::Mixing& mixing,
    std::span<const double> before,
    std::span<const double> after,
    int64_t step);

// The mean over workers of each tensor's (weighted) sum is the same before and
// after a mixing, up to the rounding that magnitudes (the tensors' 2-norms
// times the root of their lengths) allow. Rows are by worker, columns by
// tensor. Error names the step, the tensor and the worker whose sum changed
// most.
void check_mean_preserved(
    const tensor::Layout& layout,
    const Rows& before,
    const Rows& after,
    const Rows& magnitudes,
    int64_t step);

// A fingerprint of each tensor's bits, exact in a double.
std::vector<double> tensor_fingerprints(
    const tensor::Layout& layout,
    std::span<const float> plane);

// All rows of fingerprints are equal. Error names the step, the first worker
// that differs from worker 0, and the tensor.
void check_replicas_equal(
    const tensor::Layout& layout,
    const Rows& fingerprints,
    int64_t step);

} // namespace grapevine::mix
