// Initial values of a model's parameters, addressed by (seed, index of the
// tensor in the order of named_parameters()).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <string>

namespace grapevine::model {

// How the weights of convolutions and linear layers begin. Biases begin at
// zero, the scales of norms at one.
enum class WeightRule {
  kHeFanIn,  // normal, sd sqrt(2 / fan_in)
  kHeFanOut, // normal, sd sqrt(2 / fan_out)
  kLecun,    // uniform in +-1 / sqrt(fan_in)
};

struct InitialRules {
  WeightRule convolution = WeightRule::kHeFanIn; // weights of 4 dimensions
  WeightRule linear = WeightRule::kHeFanIn;      // weights of 2 dimensions
};

// Numbers are drawn in double, element after element, and rounded to float.
// For float parameters on the CPU.
void set_initial_values(
    torch::nn::Module& module,
    uint64_t seed,
    const InitialRules& rules);

// The same with normal weights whose sd the caller says by name, for tensors of
// two and more dimensions.
void set_normal_values(
    torch::nn::Module& module,
    uint64_t seed,
    const std::function<double(const std::string& name)>& sd_of);

} // namespace grapevine::model
