// What a worker does with its own gradient: torch's optimizers, and the
// accumulating forms of Adam for decentralized training.
//
// Weight decay leaves out norms and biases (tensors of one dimension) unless
// `decay_norms_and_biases`; torch's optimizers decay all they are given.
#pragma once

#include <cstdint>
#include <variant>

namespace grapevine {

// torch::optim::SGD, and its bits.
struct Sgd {
  double lr = 0.05;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0;
  bool decay_norms_and_biases = false;
};

// torch::optim::Adam, and its bits: decay is an L2 penalty.
struct Adam {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decay_norms_and_biases = false;
};

// torch::optim::AdamW, and its bits: decay shrinks the parameters themselves.
struct AdamW {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool decay_norms_and_biases = false;
};

// Adam that moves the parameters every step and the moments once in `window`
// steps, by the mean gradient of those steps, as a batch so many times as
// large would. A window of 1 is Adam. 4 does for 8 workers, 8 for 16.
struct AccumAdam {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decay_norms_and_biases = false;
  int64_t window = 4; // steps
};

// The same with AdamW's decay.
struct AccumAdamW {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool decay_norms_and_biases = false;
  int64_t window = 4; // steps
};

using Optimizer = std::variant<Sgd, Adam, AdamW, AccumAdam, AccumAdamW>;

} // namespace grapevine
