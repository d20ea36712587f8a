#include "train/setup.h"

#include "base/error.h"
#include "optim/rules.h"
#include "spec/graph_options.h"
#include "spec/rule_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::train {
namespace {

optim::LrOptions make_lr(const spec::Spec& spec, const Setup& setup) {
  optim::LrOptions lr;
  lr.lr = spec.lr;
  lr.decay = spec.lr_schedule == "cosine"         ? optim::LrDecay::kCosine
             : spec.lr_schedule == "step"         ? optim::LrDecay::kStep
             : spec.lr_schedule == "inverse-sqrt" ? optim::LrDecay::kInverseSqrt
                                                  : optim::LrDecay::kConstant;
  lr.end_share = spec.lr_end;
  lr.step_fractions = spec.lr_steps;
  lr.scaling = spec.lr_scaling == "linear" ? optim::LrScaling::kLinear
               : spec.lr_scaling == "sqrt" ? optim::LrScaling::kSqrt
                                           : optim::LrScaling::kNone;
  lr.scaling_by = spec.lr_scaling_by == "degree" ? optim::LrScalingBy::kDegree
                                                 : optim::LrScalingBy::kWorkers;
  lr.warmup_steps =
      spec.warmup_steps > 0
          ? spec.warmup_steps
          : std::llround(
                spec.warmup * static_cast<double>(setup.steps_per_epoch()));
  lr.total_steps = setup.total_steps;
  lr.batch = spec.batch;
  lr.workers = spec.n;
  return lr;
}

std::shared_ptr<const data::Split> make_split(
    const spec::Spec& spec,
    const data::Source& train) {
  if (spec.split == "iid") return nullptr;
  if (spec.split == "file") {
    const std::vector<int64_t> files = train.files();
    if (files.empty()) {
      throw ConfigError(fmt::format(
          "split: file needs data that lie in several files; {} does not",
          spec.data));
    }
    return std::make_shared<data::Split>(data::make_file_split(files, spec.n));
  }
  if (train.labels_per_sample() != 1) {
    throw ConfigError(fmt::format(
        "split: {} needs one class a sample; {} has a label at every position, "
        "so iid is the only one for it",
        spec.split,
        spec.data));
  }
  return std::make_shared<data::Split>(data::make_split(
      train.labels(),
      train.classes(),
      spec.n,
      {.kind = spec.split == "class" ? data::SplitKind::kClass
                                     : data::SplitKind::kDirichlet,
       .alpha = spec.alpha,
       .seed = spec.seed}));
}

data::Dataset load(
    const spec::Spec& spec,
    const std::vector<std::string>& data_path) {
  data::DataOptions data;
  data.name = spec.data;
  data.directory = spec.data_dir;
  data.search_path = data_path;
  data.seed = spec.seed;
  data.synthetic_samples = spec.synthetic_samples;
  data.train_samples = spec.train_samples;
  data.test_samples = spec.test_samples;
  data.context = spec.context;
  data.augment = spec.augment;
  data.cutout = spec.cutout;
  data.image_size = spec.image_size;
  data.vocabulary = spec.vocabulary;
  data.source_language = spec.source_language;
  data.target_language = spec.target_language;
  data.longest = spec.longest;
  return data::load_dataset(data);
}

// What can be refused before any data is read.
Setup begin_setup(const spec::Spec& spec) {
  Setup setup;
  setup.spec = spec;
  setup.schedule = graph::make_schedule(spec::graph_options(spec));
  setup.rule = optim::make_rule(spec::rule_options(spec));
  if (!setup.is_asynchronous()) {
    setup.agreement = algo::make_agreement(spec.agreement, setup.rule);
  }
  return setup;
}

void finish_setup(Setup& setup, data::Dataset dataset) {
  const spec::Spec& spec = setup.spec;
  setup.dataset = std::move(dataset);
  setup.in_streams = carries_state(spec.model) &&
                     setup.dataset.train->reading() == data::Reading::kStreams;
  if (setup.in_streams && spec.buffers == "averaged") {
    throw ConfigError(fmt::format(
        "buffers: model '{}' keeps what it carries along the text in its "
        "buffers, and an average belongs to no text; expected local",
        spec.model));
  }
  check_worker(setup.worker_options());
  setup.split = make_split(spec, *setup.dataset.train);
  setup.sharder = data::make_sharder(
      *setup.dataset.train,
      shard_options(spec, setup.split));
  setup.total_steps = spec.epochs * setup.steps_per_epoch();
  if (spec.steps > 0) {
    setup.total_steps = std::min(setup.total_steps, spec.steps);
  }
  setup.lr = make_lr(spec, setup);
}

} // namespace

std::vector<std::string> Setup::state_planes() const {
  std::vector<std::string> planes =
      agreement ? agreement->state_planes() : rule->state_planes();
  if (has_moving_average()) planes.emplace_back("moving_average");
  return planes;
}

void Setup::gather(int worker, int64_t step, data::Batch& batch) const {
  const data::Draw draw{.seed = spec.seed, .epoch = step / steps_per_epoch()};
  dataset.train->gather(
      sharder->indices(draw.epoch, step % steps_per_epoch(), worker),
      batch,
      &draw);
}

GradientOptions Setup::gradient_options(int worker, int64_t step) const {
  return {
      .label_smoothing = spec.label_smoothing,
      .begins_stream = !in_streams || step % steps_per_epoch() == 0,
      .rank = worker,
      .step = step,
      .micro_batches = spec.micro_batches,
      .slow_factor = transport::slow_factor(slow, spec.seed, worker, step)};
}

double Setup::batch_weight(int64_t step, int64_t samples) const {
  return sharder->batch_weight(step % steps_per_epoch(), samples);
}

WorkerOptions Setup::worker_options() const {
  return {
      .model = spec.model,
      .sample_shape = dataset.train->sample_shape(),
      .classes = dataset.train->classes(),
      .tokens = dataset.train->has_tokens(),
      .pairs = dataset.train->pairs() != nullptr,
      .seed = spec.seed,
      .dropout = spec.dropout,
      .batch = in_streams ? spec.batch : 0,
      .device = spec.device,
      .state_planes = static_cast<int>(state_planes().size())};
}

WorkerOptions Setup::spare_options() const {
  WorkerOptions options = worker_options();
  options.state_planes = 0;
  return options;
}

data::ShardOptions shard_options(
    const spec::Spec& spec,
    std::shared_ptr<const data::Split> split) {
  return {
      .workers = spec.n,
      .batch = spec.batch,
      .seed = spec.seed,
      .partial = spec.partial == "keep" ? data::PartialBatches::kKeep
                                        : data::PartialBatches::kDrop,
      .in_streams = carries_state(spec.model),
      .split = std::move(split)};
}

Setup make_setup(
    const spec::Spec& spec,
    const std::vector<std::string>& data_path) {
  Setup setup = begin_setup(spec);
  finish_setup(setup, load(spec, data_path));
  return setup;
}

Setup make_setup_with(const spec::Spec& spec, data::Dataset dataset) {
  Setup setup = begin_setup(spec);
  finish_setup(setup, std::move(dataset));
  return setup;
}

} // namespace grapevine::train
