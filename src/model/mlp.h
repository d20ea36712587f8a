// The multi-layer perceptron of the pilot experiment:
//
//   logits = fc3(relu(fc2(relu(fc1(flatten(x))))))   elements-128-128-classes
//
// He-normal weights by fan-in, zero biases.
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

std::shared_ptr<Model> make_mlp(const ModelOptions& options);

} // namespace grapevine::model
