// Residual networks (He, Zhang, Ren, Sun 2016):
//
//   stem     conv1 - bn - relu, for large images followed by a max-pool of
//            3 x 3 with stride 2
//   stages   layer1, layer2, …: blocks of one width each; the first block of
//            every stage but the first halves rows and columns
//   head     global average - fc
//   basic block (x)  = relu(bn2(conv2(relu(bn1(conv1(x))))) + shortcut(x)),
//            both convolutions 3x3
//   bottleneck (x)   = relu(bn3(conv3(relu(bn2(conv2(relu(bn1(conv1(x))))))))
//            + shortcut(x)), of 1x1, 3x3 and 1x1, four times as wide behind as
//            inside; the stride is the 3x3's, as everybody trains it today
//            ("v1.5"), not the first 1x1's as in the paper
//
// The shortcut is x itself where the shape stays. Where it changes it is, in
// the networks of the paper's section 4.2 (CIFAR), without parameters (option
// A): every other row and column of x with channels of zeros behind its own.
// In the others it is a 1x1 convolution with a norm (option B).
//
//   resnet8, 20, 32, 56 3x3 stem of 16; 3 stages of 1, 3, 5, 9 basic blocks
//                       of 16, 32, 64; option A; 75,290, 269,722, 464,154 and
//                       853,018 parameters for 3 channels and 10 classes
//   resnet18            3x3 stem of 64; 4 stages of 2 basic blocks of 64, 128,
//                       256, 512; option B; 11,173,962 for 3 and 10
//   resnet18-imagenet   the same with a stem of 7x7, stride 2, and max-pool;
//                       11,689,512 for 3 and 1000
//   resnet50            that stem; 3, 4, 6, 3 bottlenecks of 64, 128, 256, 512;
//                       25,557,032 for 3 and 1000
//
// Initial values as in the code published with the paper's follow-up
// (fb.resnet.torch): convolutions He-normal by fan-out, fc uniform in
// +-1/sqrt(fan_in) with zero bias, norms 1 and 0; but in resnet50 the last
// norm of every block begins at scale 0, so that a block begins as its
// shortcut (Goyal et al. 2017, whose recipe for large batches is the one that
// the papers compare with; torchvision begins at 1). Takes images of at least
// 8 x 8 with any number of channels.
//
// Inside, tensors are channels-last, which is faster here for every one of
// them (docs/models.md has the figures).
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

std::shared_ptr<Model> make_resnet8(const ModelOptions& options);
std::shared_ptr<Model> make_resnet20(const ModelOptions& options);
std::shared_ptr<Model> make_resnet32(const ModelOptions& options);
std::shared_ptr<Model> make_resnet56(const ModelOptions& options);
std::shared_ptr<Model> make_resnet18(const ModelOptions& options);
std::shared_ptr<Model> make_resnet18_imagenet(const ModelOptions& options);
std::shared_ptr<Model> make_resnet50(const ModelOptions& options);

} // namespace grapevine::model
