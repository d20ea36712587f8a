// Initial values that a model names tensor by tensor, addressed as those of
// model/initial.h: by (seed, index of the tensor in named_parameters()).
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <string>

namespace grapevine::model {

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
// Of a vector: 1 for the scale of a norm, which is called weight, else 0.
InitialDraw bias_or_scale(const std::string& name);

// Numbers are drawn in double, element after element, and rounded to float.
// For float parameters on the CPU.
void set_values(
    torch::nn::Module& module,
    uint64_t seed,
    const std::function<
        InitialDraw(const std::string& name, const torch::Tensor& tensor)>&
        draw_of);

} // namespace grapevine::model
