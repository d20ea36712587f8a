#include "run/worker.h"

#include "base/check.h"
#include "base/error.h"
#include "model/beam_search.h"
#include "model/script_model.h"
#include "model/zoo.h"
#include "run/clock.h"
#include "tensor/bind/bind.h"
#include "tensor/bind/device_mirror.h"
#include "tensor/bind/gradient_hooks.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace grapevine::run {
namespace {

// Slows a worker down: emulates a straggler.
//
//   SlowdownEmulator slowdown(2.0);
//   forward();
//   slowdown.stretch();  // sleeps as long as forward has taken
class SlowdownEmulator {
 public:
  // factor: of the time that computing takes; at least 1.
  explicit SlowdownEmulator(double factor)
      : factor_(factor),
        mark_(Clock::now()) {}

  // Sleeps until the time since the last mark is `factor` times what it was,
  // and sets the mark.
  void stretch() {
    if (factor_ > 1) {
      const std::chrono::duration<double> taken = Clock::now() - mark_;
      std::this_thread::sleep_for((factor_ - 1) * taken);
    }
    restart();
  }
  // Sets the mark: what was done since the last one is not stretched.
  void restart() { mark_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  double factor_;
  Clock::time_point mark_;
};

// A model's input and its labels [samples, labels a sample], in the batch's
// own memory: it must live longer.
struct BatchTensors {
  torch::Tensor input;
  torch::Tensor labels;
};

BatchTensors tensors_of(const data::Batch& batch) {
  const int64_t samples = batch.samples();
  std::vector<int64_t> shape = {samples};
  shape.insert(
      shape.end(),
      batch.sample_shape.begin(),
      batch.sample_shape.end());
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
      .pairs = options.pairs,
      .seed = options.seed,
      .dropout = options.dropout,
      .batch = options.batch};
}

// Of samples begin to end; those without one do not count.
int64_t labels_in(const data::Batch& batch, int64_t begin, int64_t end) {
  const auto labels = std::span(batch.labels)
                          .subspan(
                              begin * batch.labels_per_sample,
                              (end - begin) * batch.labels_per_sample);
  return static_cast<int64_t>(labels.size()) -
         std::ranges::count(labels, data::kNoLabel);
}

torch::nn::functional::CrossEntropyFuncOptions loss_options() {
  return torch::nn::functional::CrossEntropyFuncOptions().ignore_index(
      data::kNoLabel);
}

// Where the label of a row, one for each, is among its five largest logits.
double count_among_five(
    const torch::Tensor& logits,
    const torch::Tensor& labels) {
  const torch::Tensor fifth = std::get<0>(logits.topk(5, 1)).select(1, 4);
  const torch::Tensor mine = logits.gather(1, labels.unsqueeze(1)).squeeze(1);
  return mine.ge(fifth).sum().item<double>();
}

Score score_of(
    const torch::Tensor& logits,
    const torch::Tensor& labels,
    bool is_text) {
  Score score;
  score.labels = labels.ne(data::kNoLabel).sum().item<double>();
  score.loss = torch::nn::functional::cross_entropy(
                   logits,
                   labels,
                   loss_options().reduction(torch::kSum))
                   .item<double>();
  score.correct = logits.argmax(1).eq(labels).sum().item<double>();
  if (!is_text && logits.size(1) >= kClassesForTop5) {
    score.among_five = count_among_five(logits, labels);
  }
  return score;
}

} // namespace

void use_one_torch_thread() {
  at::set_num_threads(1);
  // OpenBLAS built with pthreads does not listen to OpenMP's setting.
  using SetThreads = void (*)(int);
  static const auto set_blas_threads = reinterpret_cast<SetThreads>(
      dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set_blas_threads != nullptr) set_blas_threads(1);
}

Score& Score::operator+=(const Score& other) {
  labels += other.labels;
  loss += other.loss;
  correct += other.correct;
  among_five += other.among_five;
  return *this;
}

bool is_model_file(const std::string& model) {
  return model::is_script(model);
}

bool carries_state(const std::string& model) {
  return model::model_entry(model).carries_state;
}

namespace {

torch::Device device_of(const WorkerOptions& options) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(fmt::format("device '{}': {}", options.device, why));
  };
  std::optional<torch::Device> device;
  try {
    device.emplace(options.device);
  } catch (const c10::Error&) {
    refuse("expected cpu, cuda or cuda:0, cuda:1, …");
  }
  if (device->is_cuda()) {
    const auto count = static_cast<int>(torch::cuda::device_count());
    if (count == 0) refuse("this libtorch sees no CUDA device");
    if (device->index() >= count) {
      refuse(fmt::format("there are {} CUDA devices", count));
    }
  } else if (!device->is_cpu()) {
    refuse("expected cpu, cuda or cuda:0, cuda:1, …");
  }
  return *device;
}

} // namespace

void check_worker(const WorkerOptions& options) {
  device_of(options);
  model::check_model(model_options(options));
}

struct Worker::State {
  uint64_t seed;
  std::shared_ptr<model::Model> model;
  std::unique_ptr<tensor::Arena> arena;
  std::unique_ptr<tensor::DeviceMirror> mirror; // null: bound to the arena
  std::unique_ptr<tensor::GradientHooks> hooks; // once there is a listener
  // Of the backward at hand.
  mix::GradientListener* listener = nullptr;
  SlowdownEmulator* slowdown = nullptr;
  double listener_seconds = 0;

  BatchTensors tensors_on_device(const data::Batch& batch) const {
    BatchTensors tensors = tensors_of(batch);
    if (!mirror) return tensors;
    return {
        tensors.input.to(mirror->device()),
        tensors.labels.to(mirror->device())};
  }

  void backward(
      const torch::Tensor& loss,
      SlowdownEmulator& emulator,
      mix::GradientListener* its_listener,
      record::Spans& spans) {
    if (its_listener != nullptr && hooks == nullptr) {
      hooks = std::make_unique<tensor::GradientHooks>(
          *model,
          [this](int tensor) { gradient_ready(tensor); });
    }
    listener = its_listener;
    slowdown = &emulator;
    listener_seconds = 0;
    record::SpanTimer timer(spans, record::Span::kBackward);
    loss.backward();
    emulator.stretch();
    timer.leave_out(listener_seconds);
    listener = nullptr;
  }

  void gradient_ready(int tensor) {
    if (listener == nullptr) return;
    slowdown->stretch();
    const Stopwatch watch;
    if (mirror) mirror->store_gradient(tensor);
    listener->tensor_ready(tensor);
    listener_seconds += watch.seconds();
    slowdown->restart();
  }
};

Worker::Worker(const WorkerOptions& options)
    : state_(std::make_unique<State>()) {
  state_->seed = options.seed;
  state_->model = model::make_model(model_options(options));
  state_->arena = std::make_unique<tensor::Arena>(
      std::make_shared<tensor::Layout>(
          tensor::parameter_layout(*state_->model)),
      std::make_shared<tensor::Layout>(tensor::buffer_layout(*state_->model)),
      options.state_planes);
  const torch::Device device = device_of(options);
  if (device.is_cpu() && !options.mirrors) {
    tensor::bind_module(*state_->model, *state_->arena);
  } else {
    state_->mirror = std::make_unique<tensor::DeviceMirror>(
        *state_->model,
        *state_->arena,
        device);
  }
}

Worker::~Worker() = default;
Worker::Worker(Worker&&) noexcept = default;

tensor::Arena& Worker::arena() {
  return *state_->arena;
}

const tensor::Arena& Worker::arena() const {
  return *state_->arena;
}

double Worker::compute_gradient(
    const data::Batch& batch,
    const GradientOptions& options,
    record::Spans& spans) {
  state_->arena->clear_gradients();
  if (batch.samples() == 0) return 0;
  if (state_->mirror) state_->mirror->fetch();
  const auto [input, labels] = state_->tensors_on_device(batch);
  const auto parts = std::min<int64_t>(options.micro_batches, batch.samples());
  const auto all_labels =
      static_cast<double>(labels_in(batch, 0, batch.samples()));
  const auto smoothing =
      loss_options().label_smoothing(options.label_smoothing);
  SlowdownEmulator slowdown(options.slow_factor);
  double total = 0;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t begin = batch.samples() * part / parts;
    const int64_t end = batch.samples() * (part + 1) / parts;
    const auto own_labels = static_cast<double>(labels_in(batch, begin, end));
    const double share = own_labels / all_labels;
    state_->model->set_pass(
        {.chance =
             {.seed = state_->seed,
              .rank = options.rank,
              .step = options.step,
              .micro_batch = part},
         .first_row = begin,
         .begins_stream = options.begins_stream});
    torch::Tensor loss;
    {
      const record::SpanTimer timer(spans, record::Span::kForward);
      loss = torch::nn::functional::cross_entropy(
          state_->model->forward(input.slice(0, begin, end)),
          labels.slice(0, begin, end).flatten(),
          smoothing);
      const double weight = options.weight * share;
      if (weight != 1) loss = loss * weight;
      slowdown.stretch();
    }
    const bool is_last = part + 1 == parts;
    state_
        ->backward(loss, slowdown, is_last ? options.listener : nullptr, spans);
    total += loss.item<double>();
  }
  if (state_->mirror) {
    state_->mirror->store_gradients();
    state_->mirror->store_buffers();
  }
  return total;
}

void Worker::set_training(bool training) {
  state_->model->train(training);
  if (state_->mirror && !training) state_->mirror->fetch();
}

Score Worker::score(const EvaluationSet& set, int64_t part) const {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> carried;
  Score total;
  set.for_each_batch(part, [&](const data::Batch& batch) {
    const auto [input, labels] = state_->tensors_on_device(batch);
    total += score_of(
        state_->model->forward_from(input, carried),
        labels.flatten(),
        !batch.tokens.empty());
  });
  return total;
}

Score Worker::score(const EvaluationSet& set) const {
  Score total;
  for (int64_t part = 0; part < set.parts(); ++part)
    total += score(set, part);
  return total;
}

std::vector<std::vector<int64_t>> Worker::translate(
    const data::Batch& batch,
    const TranslationOptions& options) const {
  auto* model = dynamic_cast<model::Translator*>(state_->model.get());
  GV_CHECK(model != nullptr);
  const torch::Tensor input = state_->tensors_on_device(batch).input;
  const int64_t source = input.size(1) - batch.labels_per_sample;
  const model::BeamOptions beam = {
      .beam = options.beam,
      .length_penalty = options.length_penalty};
  std::vector<std::vector<int64_t>> translations;
  for (auto& hypothesis :
       model::translate(*model, input.narrow(1, 0, source), beam)) {
    translations.push_back(std::move(hypothesis.tokens));
  }
  return translations;
}

void Worker::verify_bound() const {
  if (state_->mirror) return;
  tensor::verify_bound(*state_->model, *state_->arena);
}

} // namespace grapevine::run
