// A replica: a model whose parameters live in an arena, with what it can do
// on its own, that is, compute a gradient and be evaluated.
//
// The header is free of torch; one thread at a time for each worker.
#pragma once

#include "algo/local_rule.h"
#include "data/loader.h"
#include "data/source.h"
#include "mix/gradient_listener.h"
#include "record/spans.h"
#include "run/evaluation_set.h"
#include "tensor/arena.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::run {

// With fewer classes, to be among five says little, and is not counted.
inline constexpr int kClassesForTop5 = 11;

// Sums over labels, so that parts of a set can be added up.
struct Score {
  double labels = 0;
  double loss = 0;
  double correct = 0;
  // Images of enough classes: the label is among the five largest logits.
  double among_five = 0;

  Score& operator+=(const Score& other);
};

// Lets torch use one thread for what the calling thread computes (OpenMP's
// setting is per thread) and, once for all, in its BLAS where that has a switch
// of its own. Several workers share the machine, and the order of torch's own
// sums, so the bits, would depend on the number of threads.
void use_one_torch_thread();

struct WorkerOptions {
  std::string model = "mlp";
  std::vector<int64_t> sample_shape;
  int classes = 0;
  bool tokens = false; // what samples are, see data::Source::has_tokens()
  bool pairs = false;  // … and data::Source::pairs()
  uint64_t seed = 0;
  double dropout = 0;
  int64_t batch = 0; // of models that carry state from batch to batch
  // That the model computes on, as torch names it. On another than the host
  // the model is a mirror of the arena (tensor/bind/device_mirror.h); `mirrors`
  // makes it one there too, for tests.
  std::string device = "cpu";
  bool mirrors = false;
  int state_planes = 0;
};

// Whether it is recurrent, so that texts are to be read on from step to step.
// ConfigError: an unknown name.
bool carries_state(const std::string& model);
// Whether the model's name is that of a file.
bool is_model_file(const std::string& model);

// ConfigError where no such worker can be: an unknown model, samples that it
// cannot take, a device that is not here.
void check_worker(const WorkerOptions& options);

struct GradientOptions {
  double weight = 1;          // of the loss
  double label_smoothing = 0; // share of a label that all classes have alike
  bool begins_stream = true;  // model::Pass
  // The address of the model's own chance (dropout).
  int rank = 0;
  int64_t step = 0;
  // The batch is gone through in so many parts of nearly equal size, one
  // backward each, which need less memory; the gradient is that of the whole.
  int micro_batches = 1;
  // How many times slower than it could this worker computes.
  double slow_factor = 1;
  // Told, in the last of the parts, which gradients are final; or null. What
  // it does is not counted as backward.
  mix::GradientListener* listener = nullptr;
};

// Beam search: model/beam_search.h.
struct TranslationOptions {
  int64_t beam = 4; // 0: nothing is translated
  double length_penalty = 0.6;
};

class Worker {
 public:
  explicit Worker(const WorkerOptions& options);
  ~Worker();
  Worker(Worker&&) noexcept;

  tensor::Arena& arena();
  const tensor::Arena& arena() const;

  // Forward and backward of the mean cross entropy over the batch's labels;
  // leaves the gradient in the arena and returns that loss. An empty batch has
  // loss and gradient 0.
  double compute_gradient(
      const data::Batch& batch,
      const GradientOptions& options,
      record::Spans& spans);
  // Whether batch norm and the like are to train or to be evaluated: then with
  // the values that the arena has at this moment.
  void set_training(bool training);
  // One part of the set, or all of them, without gradients and label
  // smoothing. Several threads may do this at once.
  Score score(const EvaluationSet& set, int64_t part) const;
  Score score(const EvaluationSet& set) const;
  // Of each sample of a batch of sentence pairs, of which the sources alone
  // are read: the tokens of its translation. In evaluation, for models of
  // sentence pairs, with a beam of at least 1; several threads may do this at
  // once.
  std::vector<std::vector<int64_t>> translate(
      const data::Batch& batch,
      const TranslationOptions& options) const;
  // Error if a tensor has left the arena.
  void verify_bound() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine::run
