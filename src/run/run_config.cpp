#include "run/run_config.h"

#include "algo/rules.h"
#include "base/error.h"
#include "spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace grapevine::run {
namespace {

template <class Enum>
struct Named {
  std::string_view name;
  Enum value;
};

constexpr Named<algo::LrDecay> kDecays[] = {
    {"constant", algo::LrDecay::kConstant},
    {"step", algo::LrDecay::kStep},
    {"cosine", algo::LrDecay::kCosine},
    {"inverse-sqrt", algo::LrDecay::kInverseSqrt}};
constexpr Named<algo::LrScaling> kScalings[] = {
    {"none", algo::LrScaling::kNone},
    {"linear", algo::LrScaling::kLinear},
    {"sqrt", algo::LrScaling::kSqrt}};
constexpr Named<algo::LrScalingBy> kScalingsBy[] = {
    {"workers", algo::LrScalingBy::kWorkers},
    {"degree", algo::LrScalingBy::kDegree}};

// The spec has checked the name.
template <class Enum, size_t kCount>
Enum find(const Named<Enum> (&names)[kCount], const std::string& name) {
  for (const Named<Enum>& known : names) {
    if (known.name == name) return known.value;
  }
  throw ConfigError(fmt::format("unknown name '{}'", name));
}

algo::LrOptions make_lr(const spec::Spec& spec, const RunConfig& config) {
  algo::LrOptions lr;
  lr.lr = spec.lr;
  lr.decay = find(kDecays, spec.lr_schedule);
  lr.end_share = spec.lr_end;
  lr.step_fractions = spec.lr_steps;
  lr.scaling = find(kScalings, spec.lr_scaling);
  lr.scaling_by = find(kScalingsBy, spec.lr_scaling_by);
  lr.warmup_steps =
      spec.warmup_steps > 0
          ? spec.warmup_steps
          : std::llround(
                spec.warmup * static_cast<double>(config.steps_per_epoch()));
  lr.total_steps = config.total_steps;
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
RunConfig begin_config(const spec::Spec& spec) {
  RunConfig config;
  config.spec = spec;
  config.schedule = graph::make_schedule(spec::graph_options(spec));
  config.rule = algo::make_rule(spec::rule_options(spec));
  config.agreement = &algo::find_agreement(spec.agreement);
  return config;
}

void finish_config(RunConfig& config, data::Dataset dataset) {
  const spec::Spec& spec = config.spec;
  config.dataset = std::move(dataset);
  config.in_streams =
      carries_state(spec.model) &&
      config.dataset.train->reading() == data::Reading::kStreams;
  if (config.in_streams && spec.buffers == "averaged") {
    throw ConfigError(fmt::format(
        "buffers: model '{}' keeps what it carries along the text in its "
        "buffers, and an average belongs to no text; expected local",
        spec.model));
  }
  check_worker(config.worker_options());
  config.split = make_split(spec, *config.dataset.train);
  config.sharder = data::make_sharder(
      *config.dataset.train,
      shard_options(spec, config.split));
  config.total_steps = spec.epochs * config.steps_per_epoch();
  if (spec.steps > 0) {
    config.total_steps = std::min(config.total_steps, spec.steps);
  }
  config.lr = make_lr(spec, config);
}

} // namespace

std::vector<std::string> RunConfig::state_planes() const {
  std::vector<std::string> planes = algo::state_planes(*agreement, *rule);
  if (has_moving_average()) planes.emplace_back("moving_average");
  return planes;
}

void RunConfig::gather(int worker, int64_t step, data::Batch& batch) const {
  const data::Draw draw{.seed = spec.seed, .epoch = step / steps_per_epoch()};
  dataset.train->gather(
      sharder->indices(draw.epoch, step % steps_per_epoch(), worker),
      batch,
      &draw);
}

GradientOptions RunConfig::gradient_options(int worker, int64_t step) const {
  return {
      .label_smoothing = spec.label_smoothing,
      .begins_stream = !in_streams || step % steps_per_epoch() == 0,
      .rank = worker,
      .step = step,
      .micro_batches = spec.micro_batches,
      .slow_factor = slow_factor(slow, spec.seed, worker, step)};
}

double RunConfig::batch_weight(int64_t step, int64_t samples) const {
  return sharder->batch_weight(step % steps_per_epoch(), samples);
}

WorkerOptions RunConfig::worker_options() const {
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

WorkerOptions RunConfig::spare_options() const {
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

RunConfig make_run_config(
    const spec::Spec& spec,
    const std::vector<std::string>& data_path) {
  RunConfig config = begin_config(spec);
  finish_config(config, load(spec, data_path));
  return config;
}

RunConfig make_run_config_with(const spec::Spec& spec, data::Dataset dataset) {
  RunConfig config = begin_config(spec);
  finish_config(config, std::move(dataset));
  return config;
}

} // namespace grapevine::run
