// Our side of perf/model_steps:
//
//   model_step_bench NAME BATCH
//
// writes the number of the model's parameters, then answers every line of its
// input with the processor time, in ms, of one training step (forward, loss,
// backward, SGD with momentum and decay) on one thread, at the shape and
// classes of the zoo's table.
#include "algo/sgd.h"
#include "base/heap.h"
#include "base/random.h"
#include "base/sentence_tokens.h"
#include "model/zoo.h"
#include "perf/processor_time.h"
#include "run/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>

namespace grapevine::perf {
namespace {

model::ModelEntry entry_of(const std::string& name) {
  for (const auto& entry : model::model_table()) {
    if (entry.name == name) return entry;
  }
  throw std::runtime_error(fmt::format("no model '{}'", name));
}

// Half of a row becomes source and eos, half bos and target, which alone has
// labels (base/sentence_tokens.h).
void make_pairs(data::Batch& batch, int64_t samples) {
  const int64_t half = batch.sample_shape[0] / 2;
  batch.labels_per_sample = half;
  for (int64_t& token : batch.tokens)
    token = std::max(token, kSentenceTokens);
  for (int64_t row = 0; row < samples; ++row) {
    batch.tokens[row * 2 * half + half - 1] = kEos;
    batch.tokens[row * 2 * half + half] = kBos;
  }
}

// A label for every sample, of text for every token.
data::Batch make_batch(const model::ModelEntry& entry, int64_t samples) {
  Random random(1, Purpose::kTest);
  data::Batch batch;
  batch.sample_shape = entry.sample_shape;
  int64_t elements = samples;
  for (const int64_t extent : entry.sample_shape)
    elements *= extent;
  const auto any_class = [&] {
    return static_cast<int64_t>(random.below(entry.classes));
  };
  for (int64_t i = 0; i < elements; ++i) {
    if (entry.tokens) {
      batch.tokens.push_back(any_class());
    } else {
      batch.inputs.push_back(static_cast<float>(random.normal()));
    }
  }
  batch.labels_per_sample = entry.tokens ? entry.sample_shape[0] : 1;
  if (entry.pairs) make_pairs(batch, samples);
  for (int64_t i = 0; i < samples * batch.labels_per_sample; ++i)
    batch.labels.push_back(any_class());
  return batch;
}

void answer(const std::string& name, int64_t samples) {
  run::use_one_torch_thread();
  const model::ModelEntry entry = entry_of(name);
  const auto make = [&] {
    const ShortLivedBlocks blocks; // as a run makes its workers
    return run::Worker(
        {.model = name,
         .sample_shape = entry.sample_shape,
         .classes = entry.classes,
         .tokens = entry.tokens,
         .pairs = entry.pairs,
         .batch = samples,
         .state_planes = 1});
  };
  run::Worker worker = make();
  const algo::Sgd rule(
      {.momentum = 0.9, .weight_decay = 1e-4, .decay_everything = true});
  const data::Batch batch = make_batch(entry, samples);
  record::Spans spans;
  std::cout << model::parameter_count(entry) << std::endl;
  std::string line;
  for (int64_t step = 0; std::getline(std::cin, line); ++step) {
    const double start = processor_seconds();
    worker.compute_gradient(
        batch,
        {.begins_stream = step == 0, .step = step},
        spans);
    rule.update(
        worker.arena(),
        {0, worker.arena().layout().size()},
        {.step = step, .lr = 0.01},
        {},
        {});
    std::cout << (processor_seconds() - start) * 1e3 << std::endl;
  }
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: model_step_bench NAME BATCH\n";
    return 2;
  }
  grapevine::perf::answer(argv[1], std::stoll(argv[2]));
  return 0;
}
