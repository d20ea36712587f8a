#include "spec/spec_table.h"
#include "base/compute_words.h"
#include "base/link_options.h"
#include "base/transport_table.h"
#include "spec/toml_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::spec {
namespace {

std::vector<SpecEntry> task_options() {
  return {
      text("model", &Spec::model).says("model to train: see `models`"),
      text("data", &Spec::data).says("data set: see `data list`"),
      text("data-dir", &Spec::data_dir)
          .no_effect_on_result()
          .says("directory of the data set; empty = the usual places"),
      integer("synthetic-samples", &Spec::synthetic_samples, {1, kAnyMore})
          .says("training samples of the synthetic data"),
      integer("train-samples", &Spec::train_samples, {0, kAnyMore})
          .says("train on a fixed random subset of this size; 0 = on all"),
      integer("test-samples", &Spec::test_samples, {0, kAnyMore})
          .says("evaluate on a fixed random subset of this size; 0 = on all"),
      integer("context", &Spec::context, {1, 65536})
          .says("text: tokens per sample, the context length of the model"),
      integer("image-size", &Spec::image_size, {1, 4096})
          .hashed_if_set()
          .only_for("data", "imagenet")
          .says("imagenet: side of a sample, in pixels"),
      choice(
          "augment",
          &Spec::augment,
          {"none", "crop-flip", "crop-flip-cutout"})
          .hashed_if_set()
          .says("augmentation of small images: random crop, flip and cutout"),
      integer("cutout", &Spec::cutout, {1, 4096})
          .hashed_if_set()
          .only_for("augment", "crop-flip-cutout")
          .says("augment crop-flip-cutout: side of the square, in pixels"),
      text("vocabulary", &Spec::vocabulary)
          .hashed_if_set()
          .says("text: vocabulary file, from `data bpe`; empty = bytes"),
      text("source-language", &Spec::source_language)
          .hashed_if_set()
          .says("parallel-text: suffix of the files to translate from"),
      text("target-language", &Spec::target_language)
          .hashed_if_set()
          .says("parallel-text: suffix of the files to translate into"),
      integer("longest", &Spec::longest, {1, 65536})
          .hashed_if_set()
          .says("parallel-text: longer pairs, in tokens per side, are skipped"),
      choice("split", &Spec::split, {"iid", "dirichlet", "class", "file"})
          .hashed_if_set()
          .says(
              "how training samples are partitioned across workers: at random, "
              "by Dirichlet-distributed class shares, by class, by file"),
      number("alpha", &Spec::alpha, kAboveZero)
          .hashed_if_set()
          .only_for("split", "dirichlet")
          .says("split dirichlet: concentration; smaller = more heterogeneous"),
      number("dropout", &Spec::dropout, kFraction)
          .says("dropout probability, in models that have it"),
      text("init", &Spec::init)
          .says("safetensors file with the initial parameters"),
  };
}

std::vector<SpecEntry> algorithm_options() {
  return {
      choice("preset", &Spec::preset, names_of(preset_table()))
          .no_effect_on_result()
          .says("sets agreement, optimizer and graph"),
      choice("agreement", &Spec::agreement, names_of(algo::agreement_table()))
          .says("how replicas are synchronized"),
      choice("optimizer", &Spec::optimizer, names_of(algo::optimizer_table()))
          .says("optimizer of each worker"),
      choice("buffers", &Spec::buffers, {"local", "averaged"})
          .says("batch-norm statistics: kept per worker, or averaged too"),
  };
}

std::vector<SpecEntry> graph_options() {
  return {
      integer("n", &Spec::n, {1, graph::kMaxWorkers}).says("number of workers"),
      choice("graph", &Spec::graph, names_of(graph::graph_table()))
          .says("which workers average with which"),
  };
}

std::vector<SpecEntry> length_options() {
  return {
      integer("epochs", &Spec::epochs, {1, 1000000})
          .says("passes over the training data"),
      integer("steps", &Spec::steps, {0, kAnyMore})
          .says("maximum number of steps; 0 = no limit"),
      integer("batch", &Spec::batch, {1, 1 << 24})
          .says("batch size per worker; parallel-text: tokens of the longer "
                "side"),
      integer("micro-batches", &Spec::micro_batches, {1, 1 << 20})
          .says("gradient accumulation: parts of a batch, one backward each, "
                "which need less memory"),
      choice("partial", &Spec::partial, {"drop", "keep"})
          .says("samples that do not fill a step of all workers"),
      integer("seed", &Spec::seed, {0, kAnyMore}).says("random seed"),
  };
}

std::vector<SpecEntry> learning_rate_options() {
  return {
      number("lr", &Spec::lr, kAboveZero)
          .says("learning rate, before scaling; unless given, what suits the "
                "optimizer"),
      choice(
          "lr-schedule",
          &Spec::lr_schedule,
          {"constant", "step", "cosine", "inverse-sqrt"})
          .says("learning rate schedule"),
      numbers(
          "lr-steps",
          &Spec::lr_steps,
          {.least = 0, .most = 1, .above = true, .below = true})
          .says("lr-schedule step: times 0.1 at these fractions of the run"),
      number("lr-end", &Spec::lr_end, {0, 1})
          .only_for("lr-schedule", "cosine")
          .says("lr-schedule cosine: final learning rate, as a fraction of lr"),
      number("warmup", &Spec::warmup, {0, 1e6})
          .says("epochs of linear warm-up; fractions allowed"),
      integer("warmup-steps", &Spec::warmup_steps, {0, kAnyMore})
          .says("the same in steps, instead of epochs"),
      choice("lr-scaling", &Spec::lr_scaling, {"none", "linear", "sqrt"})
          .says("scaling of lr with the global batch size / 256"),
      choice("lr-scaling-by", &Spec::lr_scaling_by, {"workers", "degree"})
          .says("global batch size = batch times n, or times degree + 1"),
  };
}

std::vector<SpecEntry> regularization_options() {
  return {
      number("clip", &Spec::clip, kAtLeastZero)
          .says("gradient clipping: maximum global norm; 0 = none"),
      number("label-smoothing", &Spec::label_smoothing, kFraction)
          .says("label smoothing: share spread over all classes"),
      number("ema", &Spec::ema, kFraction)
          .says(
              "decay of an exponential moving average of the weights, which is "
              "evaluated too; 0 = none"),
      integer("early-stop", &Spec::early_stop, {0, kAnyMore})
          .says(
              "stop after this number of evaluations without improvement; 0 = "
              "never"),
  };
}

std::vector<SpecEntry> measurement_options() {
  return {
      integer("probe-every", &Spec::probe_every, {0, kAnyMore})
          .says("steps (asynchronous: rounds) between records of norms; 0 = "
                "never"),
      integer("trace-every", &Spec::trace_every, {0, kAnyMore})
          .no_effect_on_result()
          .says(
              "steps between recorded timelines, of two steps each; 0 = never"),
      integer("eval-every", &Spec::eval_every, {0, kAnyMore})
          .says("epochs between evaluations; 0 = only the last"),
      integer("eval-samples", &Spec::eval_samples, {1, kAnyMore})
          .says("test samples for the evaluation of each replica"),
      yes_no("eval-full", &Spec::eval_full)
          .says("evaluate replicas on the whole test set"),
      integer("beam", &Spec::beam, {0, 1024})
          .hashed_if_set()
          .says(
              "parallel-text: beam width of the final translation of the test "
              "set, for BLEU; 0 = none"),
      number("length-penalty", &Spec::length_penalty, {.least = 0, .most = 10})
          .hashed_if_set()
          .says("parallel-text: length penalty of the beam search"),
      yes_no("keep-best", &Spec::keep_best)
          .no_effect_on_result()
          .says("keep the model of the best evaluation: best.safetensors"),
  };
}

std::vector<SpecEntry> clock_options() {
  return {
      text("compute", &Spec::compute, parse_compute)
          .hashed_if_set()
          .says(
              "forward, backward and update time of a step, like 4ms,8ms,1ms, "
              "or their sum, like 12ms"),
      text("link", &Spec::link, parse_link)
          .hashed_if_set()
          .says("bandwidth of a node each way and latency, like 1gbit,2ms; "
                "single links after semicolons, like "
                "1gbit,2ms;2-3:100mbit,10ms"),
      text("slow", &Spec::slow, parse_slow)
          .hashed_if_set()
          .says("stragglers, like 3:2.0 or random:0.1:2.0"),
      text("costs", &Spec::costs)
          .hashed_if_set()
          .says("file of `plan measure`: compute times and links"),
  };
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const net::TransportEntry* entry : net::kTransports)
    names.emplace_back(entry->name);
  return names;
}

std::vector<SpecEntry> execution_options() {
  std::vector<SpecEntry> list = {
      choice("transport", &Spec::transport, transport_names())
          .says("what connects the workers; empty = as launched"),
      integer("threads", &Spec::threads, {0, 4096})
          .says("threads of the virtual cluster; 0 = all cores"),
      bytes("bucket-bytes", &Spec::bucket_bytes, {64, int64_t{1} << 40})
          .says("size of a communication bucket"),
      yes_no("packing", &Spec::packing)
          .says("lossless compression over Gloo, to 0.85 of the bytes"),
      number(
          "deadline",
          &Spec::deadline,
          {.least = 0, .most = 1e9, .above = true})
          .says("timeout in seconds for waiting on another worker"),
      integer("checkpoint-every", &Spec::checkpoint_every, {-1, kAnyMore})
          .says("steps between checkpoints; 0 = once a minute, -1 = none"),
      integer("prefetch", &Spec::prefetch, {0, 1024})
          .says("batches loaded ahead"),
      integer("loader-threads", &Spec::loader_threads, {1, 1024})
          .says("threads that load batches"),
      text("device", &Spec::device)
          .says("device that models compute on: cpu, cuda, cuda:0, …"),
      text("out", &Spec::out).says("run directory; empty = runs/<name>"),
      yes_no("fresh", &Spec::fresh)
          .says("discard an existing run in --out and start over"),
      yes_no("check", &Spec::check).says("verify invariants after each step"),
  };
  for (SpecEntry& entry : list)
    entry.decides_result = false;
  return list;
}

std::vector<SpecEntry> make_table() {
  std::vector<SpecEntry> table;
  const auto add = [&](const char* group, const auto& options) {
    for (const auto& option : options) {
      table.push_back(option);
      table.back().group = group;
    }
  };
  add("Task", task_options());
  add("Algorithm", algorithm_options());
  add("Algorithm", algo::agreement_options());
  add("Graph", graph_options());
  add("Graph", graph::graph_options());
  add("Length", length_options());
  add("Local rule", learning_rate_options());
  add("Local rule", algo::optimizer_options());
  add("Local rule", regularization_options());
  add("Measurement", measurement_options());
  add("Virtual clock", clock_options());
  add("Execution", execution_options());
  return table;
}

} // namespace

const std::vector<SpecEntry>& spec_table() {
  static const std::vector<SpecEntry> table = make_table();
  return table;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys;
  for (const SpecEntry& entry : spec_table())
    keys.push_back(entry.key);
  return keys;
}

const SpecEntry* find_entry(std::string_view key) {
  const auto found = std::ranges::find(spec_table(), key, &SpecEntry::key);
  return found == spec_table().end() ? nullptr : &*found;
}

std::string flag_of(std::string_view key) {
  return fmt::format("{}{}", key == "n" ? "-" : "--", key);
}

std::string place_of(const Origins& origins, const std::string& key) {
  const auto origin = origins.find(key);
  if (origin == origins.end()) return key;
  if (origin->second == flag_of(key)) return origin->second;
  return fmt::format("{}: {}", origin->second, key);
}

} // namespace grapevine::spec
