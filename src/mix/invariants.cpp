#include "mix/invariants.h"

#include "base/error.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace grapevine::mix {

void check_stochastic(
    const graph::Mixing& mixing,
    std::span<const double> before,
    std::span<const double> after,
    int64_t step) {
  constexpr double kTolerance = 1e-9;
  std::vector<double> columns(mixing.n());
  for (int i = 0; i < mixing.n(); ++i) {
    double row_sum = 0;
    for (const graph::Term& term : mixing.row(i)) {
      if (term.weight < 0) {
        throw Error(fmt::format(
            "check failed at step {}: worker {} gives worker {} the negative "
            "weight {}",
            step,
            i,
            term.rank,
            term.weight));
      }
      row_sum += term.weight;
      columns[term.rank] += after[i] * term.weight;
    }
    if (std::abs(row_sum - 1) > kTolerance) {
      throw Error(fmt::format(
          "check failed at step {}: the weights of worker {} sum to {}, not 1",
          step,
          i,
          row_sum));
    }
  }
  for (int j = 0; j < mixing.n(); ++j) {
    if (std::abs(columns[j] - before[j]) > kTolerance * before[j]) {
      throw Error(fmt::format(
          "check failed at step {}: the weights given to worker {} sum to {}, "
          "not {}",
          step,
          j,
          columns[j],
          before[j]));
    }
  }
}

void check_mean_preserved(
    const tensor::Layout& layout,
    const Rows& before,
    const Rows& after,
    const Rows& magnitudes,
    int64_t step) {
  // A mixing rounds each element a few times at 2^-24.
  constexpr double kTolerance = 1e-5;
  for (size_t tensor = 0; tensor < layout.tensors().size(); ++tensor) {
    double change = 0;
    double magnitude = 0;
    size_t worst = 0;
    for (size_t worker = 0; worker < before.size(); ++worker) {
      const double mine = after[worker][tensor] - before[worker][tensor];
      change += mine;
      magnitude += magnitudes[worker][tensor];
      if (std::abs(mine) >
          std::abs(after[worst][tensor] - before[worst][tensor])) {
        worst = worker;
      }
    }
    // Written so that a NaN, which compares false, counts as a violation only
    // where the values before were finite.
    const bool preserved = std::abs(change) <= kTolerance * magnitude;
    if (!preserved && std::isfinite(magnitude)) {
      throw Error(fmt::format(
          "check failed at step {}: mixing moved the mean of tensor '{}' by "
          "{:g} (allowed {:g}); worker {}'s sum changed most",
          step,
          layout.tensors()[tensor].name,
          change / static_cast<double>(before.size()),
          kTolerance * magnitude / static_cast<double>(before.size()),
          worst));
    }
  }
}

std::vector<double> tensor_fingerprints(
    const tensor::Layout& layout,
    std::span<const float> plane) {
  std::vector<double> fingerprints;
  for (const tensor::TensorEntry& tensor : layout.tensors()) {
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (const float value : plane.subspan(tensor.offset, tensor.elements)) {
      uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      hash = (hash ^ bits) * 0x100000001b3ULL;
    }
    fingerprints.push_back(static_cast<double>(hash >> 11));
  }
  return fingerprints;
}

void check_replicas_equal(
    const tensor::Layout& layout,
    const Rows& fingerprints,
    int64_t step) {
  for (size_t worker = 1; worker < fingerprints.size(); ++worker) {
    for (size_t tensor = 0; tensor < layout.tensors().size(); ++tensor) {
      if (fingerprints[worker][tensor] != fingerprints[0][tensor]) {
        throw Error(fmt::format(
            "check failed at step {}: tensor '{}' of worker {} differs from "
            "worker 0's, though the replicas must be equal",
            step,
            layout.tensors()[tensor].name,
            worker));
      }
    }
  }
}

} // namespace grapevine::mix
