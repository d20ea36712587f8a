// Densely connected networks for CIFAR (Huang, Liu, van der Maaten, Weinberger
// 2017), of depth 100 and growth k = 12:
//
//   features.conv0 3x3 - three dense blocks with a transition behind the first
//   and the second - norm5 - relu - global average - classifier
//   dense block      x_0; x_{i+1} = [x_i, layer_i(x_i)] along the channels
//   layer (x)        conv1(relu(norm1(x))), 3x3 with k outputs; with
//                    bottleneck conv2(relu(norm2(conv1(relu(norm1(x)))))), 1x1
//                    with 4 k outputs and 3x3 with k
//   transition (x)   conv(relu(norm(x))), 1x1, then averages of 2 x 2
//
//   densenet100        DenseNet-BC: bottlenecks, 16 layers a block, a stem of
//                      2 k, transitions that halve the channels; 769,162
//                      parameters for 3 channels and 10 classes
//   densenet100-plain  neither bottleneck nor compression, 32 layers a block, a
//                      stem of 16: published as 7.0 M. With c channels in front
//                      a layer has 2 c + 108 c, a transition 2 c + c^2:
//                        stem                                       432
//                        block of 16, 28, …, 388 channels       711,040
//                        transition of 400                      160,800
//                        block of 400, …, 772                 2,062,720
//                        transition of 784                      616,224
//                        block of 784, …, 1156                3,414,400
//                        norm of 1168, classifier                14,026
//                      6,979,642 in all
//
// Convolutions begin He-normal by fan-in, as published (He et al. 2015), the
// classifier uniform in +-1/sqrt(fan_in) with zero bias. No dropout (published
// for use without augmentation). Takes images of at least 8 x 8.
//
// The list of all features is never concatenated again: a block carries its
// channels in one tensor, which each layer copies once when it adds its k, and
// of which the gradient is summed once a layer. Inside, tensors are
// channels-last. Both is faster here (docs/models.md has the figures).
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

std::shared_ptr<Model> make_densenet100(const ModelOptions& options);
std::shared_ptr<Model> make_densenet100_plain(const ModelOptions& options);

} // namespace grapevine::model
