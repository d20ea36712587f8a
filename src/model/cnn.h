// A small convolutional network:
//
//   conv1 3x3, 16 - relu - max-pool 2 - conv2 3x3, 32 - relu - max-pool 2 - fc
//
// He-normal weights by fan-in, zero biases. Takes images of at least 4 x 4
// with any number of channels.
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

std::shared_ptr<Model> make_cnn(const ModelOptions& options);

} // namespace grapevine::model
