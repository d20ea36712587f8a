// ResNet20 for CIFAR (He, Zhang, Ren, Sun 2016, section 4.2):
//
//   conv1 3x3, 16 - bn - relu
//   layer1, layer2, layer3: 3 blocks each of 16, 32, 64 channels; the first
//     block of layer2 and of layer3 halves rows and columns
//   global average - fc
//   block(x) = relu(bn2(conv2(relu(bn1(conv1(x))))) + shortcut(x))
//
// The shortcut has no parameters (option A): x itself, or every other row and
// column of it with channels of zeros behind its own. 269,722 parameters for
// 3 channels and 10 classes.
//
// Initial values as in the code published with the paper's follow-up
// (fb.resnet.torch): convolutions He-normal by fan-out, fc uniform in
// +-1/sqrt(fan_in) with zero bias, norms 1 and 0. Takes images of at least
// 8 x 8 with any number of channels.
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

std::shared_ptr<Model> make_resnet20(const ModelOptions& options);

} // namespace grapevine::model
