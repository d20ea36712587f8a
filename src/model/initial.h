// Initial values of a model's parameters, addressed by (seed, index of the
// tensor in the order of named_parameters()). Numbers are drawn in double,
// element after element, and rounded to float. For float parameters on the CPU.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <string>

namespace grapevine::model {

// The initial values of one tensor.
struct InitialDraw {
  enum class Kind { kConstant, kUniform, kNormal };
  Kind kind = Kind::kConstant;
  double scale = 0; // the constant; uniform in +-scale; sd
};

inline InitialDraw constant(double value) {
  return {InitialDraw::Kind::kConstant, value};
}
inline InitialDraw uniform(double bound) {
  return {InitialDraw::Kind::kUniform, bound};
}
inline InitialDraw normal(double sd) {
  return {InitialDraw::Kind::kNormal, sd};
}
// Uniform in +-sqrt(6 / (rows + columns)) (Glorot, Bengio 2010).
InitialDraw xavier(const torch::Tensor& matrix);
// For a vector: 1 for the scale of a norm, which is called weight, else 0.
InitialDraw bias_or_scale(const std::string& name);

// Sets each parameter to what draw_of says.
void set_values(
    torch::nn::Module& module,
    uint64_t seed,
    const std::function<
        InitialDraw(const std::string& name, const torch::Tensor& tensor)>&
        draw_of);

// How the weights of convolutions and linear layers begin.
enum class WeightRule {
  kHeFanIn,  // normal, sd sqrt(2 / fan_in)
  kHeFanOut, // normal, sd sqrt(2 / fan_out)
  kLecun,    // uniform in +-1 / sqrt(fan_in)
};

struct InitialRules {
  WeightRule convolution = WeightRule::kHeFanIn; // weights of 4 dimensions
  WeightRule linear = WeightRule::kHeFanIn;      // weights of 2 dimensions
};

// Sets weights by these rules, and the others by bias_or_scale.
void set_initial_values(
    torch::nn::Module& module,
    uint64_t seed,
    const InitialRules& rules);

} // namespace grapevine::model
