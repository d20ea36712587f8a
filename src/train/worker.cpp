#include "train/worker.h"

#include "bind/bind.h"
#include "bind/gradient_hooks.h"
#include "model/zoo.h"
#include "train/pace.h"
#include "train/stopwatch.h"

#include <torch/torch.h>

#include <algorithm>

namespace grapevine::train {
namespace {

// Samples of a batch, fewer where they have many labels each.
constexpr int64_t kEvaluationBatch = 500;
constexpr int64_t kEvaluationLabels = 4096;

// A model's input and its labels [samples, labels a sample], in the batch's
// own memory: it must live longer.
struct BatchTensors {
  torch::Tensor input;
  torch::Tensor labels;
};

BatchTensors tensors_of(
    const data::Batch& batch,
    const std::vector<int64_t>& sample_shape) {
  const int64_t samples = batch.samples();
  std::vector<int64_t> shape = {samples};
  shape.insert(shape.end(), sample_shape.begin(), sample_shape.end());
  // from_blob has no const form; nothing writes to the batch.
  auto* labels = const_cast<int64_t*>(batch.labels.data());
  auto* numbers = const_cast<float*>(batch.inputs.data());
  auto* tokens = const_cast<int64_t*>(batch.tokens.data());
  return {
      batch.tokens.empty() ? torch::from_blob(numbers, shape)
                           : torch::from_blob(tokens, shape, torch::kInt64),
      torch::from_blob(
          labels,
          {samples, batch.labels_per_sample},
          torch::kInt64)};
}

model::ModelOptions model_options(const WorkerOptions& options) {
  return {
      .name = options.model,
      .sample_shape = options.sample_shape,
      .classes = options.classes,
      .tokens = options.tokens,
      .seed = options.seed,
      .dropout = options.dropout};
}

} // namespace

struct EvaluationSet::Samples {
  data::Batch memory;
  BatchTensors tensors;
  int64_t batch = kEvaluationBatch;
};

EvaluationSet::EvaluationSet(
    const data::Source& source,
    std::span<const int64_t> indices)
    : samples_(std::make_unique<Samples>()) {
  source.gather(indices, samples_->memory);
  samples_->tensors = tensors_of(samples_->memory, source.sample_shape());
  samples_->batch = std::clamp<int64_t>(
      kEvaluationLabels / source.labels_per_sample(),
      1,
      kEvaluationBatch);
}

EvaluationSet::~EvaluationSet() = default;

int64_t EvaluationSet::samples() const {
  return samples_->memory.samples();
}

int64_t EvaluationSet::labels() const {
  return samples_->tensors.labels.numel();
}

int64_t EvaluationSet::batches() const {
  return (samples() + samples_->batch - 1) / samples_->batch;
}

void check_worker(const WorkerOptions& options) {
  model::check_model(model_options(options));
}

struct Worker::State {
  uint64_t seed;
  std::vector<int64_t> sample_shape;
  std::shared_ptr<model::Model> model;
  std::unique_ptr<arena::Arena> arena;
  std::unique_ptr<bind::GradientHooks> hooks; // once there is a listener
  // Of the backward at hand.
  cluster::GradientListener* listener = nullptr;
  Pace* pace = nullptr;
  double listener_seconds = 0;

  void backward(
      const torch::Tensor& loss,
      Pace& its_pace,
      cluster::GradientListener* its_listener,
      probe::Spans& spans) {
    if (its_listener != nullptr && hooks == nullptr) {
      hooks = std::make_unique<bind::GradientHooks>(*model, [this](int tensor) {
        gradient_ready(tensor);
      });
    }
    listener = its_listener;
    pace = &its_pace;
    listener_seconds = 0;
    probe::SpanTimer timer(spans, probe::Span::kBackward);
    loss.backward();
    its_pace.stretch();
    timer.leave_out(listener_seconds);
    listener = nullptr;
  }

  void gradient_ready(int tensor) {
    if (listener == nullptr) return;
    pace->stretch();
    const Stopwatch watch;
    listener->tensor_ready(tensor);
    listener_seconds += watch.seconds();
    pace->restart();
  }
};

Worker::Worker(const WorkerOptions& options)
    : state_(std::make_unique<State>()) {
  state_->seed = options.seed;
  state_->sample_shape = options.sample_shape;
  state_->model = model::make_model(model_options(options));
  state_->arena = std::make_unique<arena::Arena>(
      std::make_shared<arena::Layout>(bind::parameter_layout(*state_->model)),
      std::make_shared<arena::Layout>(bind::buffer_layout(*state_->model)),
      options.state_planes);
  bind::bind_module(*state_->model, *state_->arena);
}

Worker::~Worker() = default;
Worker::Worker(Worker&&) noexcept = default;

arena::Arena& Worker::arena() {
  return *state_->arena;
}

const arena::Arena& Worker::arena() const {
  return *state_->arena;
}

double Worker::compute_gradient(
    const data::Batch& batch,
    const GradientOptions& options,
    probe::Spans& spans) {
  state_->arena->clear_gradients();
  if (batch.samples() == 0) return 0;
  const auto [input, labels] = tensors_of(batch, state_->sample_shape);
  const auto parts = std::min<int64_t>(options.micro_batches, batch.samples());
  Pace pace(options.slow_factor);
  double total = 0;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = batch.samples() * part / parts;
    const int64_t end = batch.samples() * (part + 1) / parts;
    const double share =
        static_cast<double>(end - begin) / static_cast<double>(batch.samples());
    state_->model->set_chance(
        {.seed = state_->seed,
         .rank = options.rank,
         .step = options.step,
         .micro_batch = part});
    torch::Tensor loss;
    {
      const probe::SpanTimer timer(spans, probe::Span::kForward);
      loss = torch::nn::functional::cross_entropy(
          state_->model->forward(input.slice(0, begin, end)),
          labels.slice(0, begin, end).flatten());
      const double weight = options.weight * share;
      if (weight != 1) loss = loss * weight;
      pace.stretch();
    }
    const bool is_last = part + 1 == parts;
    state_->backward(loss, pace, is_last ? options.listener : nullptr, spans);
    total += loss.item<double>();
  }
  return total;
}

void Worker::set_training(bool training) {
  state_->model->train(training);
}

Score Worker::score(const EvaluationSet& set, int64_t batch) const {
  const torch::NoGradGuard no_grad;
  const auto& [input, all_labels] = set.samples_->tensors;
  const int64_t begin = batch * set.samples_->batch;
  const int64_t end = std::min(begin + set.samples_->batch, set.samples());
  const torch::Tensor labels = all_labels.slice(0, begin, end).flatten();
  const torch::Tensor logits =
      state_->model->forward(input.slice(0, begin, end));
  const auto sum =
      torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum);
  return {
      torch::nn::functional::cross_entropy(logits, labels, sum).item<double>(),
      logits.argmax(1).eq(labels).sum().item<double>()};
}

Score Worker::score(const EvaluationSet& set) const {
  Score total;
  for (int64_t batch = 0; batch < set.batches(); ++batch) {
    const Score part = score(set, batch);
    total.loss += part.loss;
    total.correct += part.correct;
  }
  return total;
}

void Worker::verify_bound() const {
  bind::verify_bound(*state_->model, *state_->arena);
}

} // namespace grapevine::train
