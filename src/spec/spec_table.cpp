#include "spec/spec_table.h"
#include "algo/agreement.h"
#include "algo/rules.h"
#include "base/compute_words.h"
#include "base/error.h"
#include "base/link_options.h"
#include "base/names.h"
#include "base/transport_table.h"
#include "graph/schedule.h"
#include "spec/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace grapevine::spec {
namespace {

constexpr int64_t kAnyMore = std::numeric_limits<int64_t>::max();
constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kLeastEps = 1e-30; // still a float above 0
constexpr bool kDecides = true;
constexpr bool kDoesNot = false;

template <typename T>
SpecEntry integer(
    std::string key,
    T Spec::*field,
    IntegerRange range,
    bool decides,
    std::string help) {
  range.most = static_cast<int64_t>(std::min<uint64_t>(
      range.most,
      static_cast<uint64_t>(std::numeric_limits<T>::max())));
  return {
      .key = std::move(key),
      .group = "",
      .help = std::move(help),
      .type = "integer",
      .allowed = {},
      .decides_result = decides,
      .set =
          [=](Spec& spec, std::string_view text) {
            spec.*field = static_cast<T>(parse_integer(text, range));
          },
      .get_toml =
          [=](const Spec& spec) { return fmt::format("{}", spec.*field); }};
}

SpecEntry bytes(
    std::string key,
    int64_t Spec::*field,
    IntegerRange range,
    bool decides,
    std::string help) {
  SpecEntry entry =
      integer(std::move(key), field, range, decides, std::move(help));
  entry.type = "bytes";
  entry.set = [=](Spec& spec, std::string_view text) {
    spec.*field = parse_bytes(text, range);
  };
  return entry;
}

SpecEntry number(
    std::string key,
    double Spec::*field,
    NumberRange range,
    bool decides,
    std::string help) {
  return {
      .key = std::move(key),
      .group = "",
      .help = std::move(help),
      .type = "number",
      .allowed = {},
      .decides_result = decides,
      .set =
          [=](Spec& spec, std::string_view text) {
            spec.*field = parse_number(text, range);
          },
      .get_toml = [=](const Spec& spec) { return toml_number(spec.*field); }};
}

SpecEntry numbers(
    std::string key,
    std::vector<double> Spec::*field,
    NumberRange range,
    bool decides,
    std::string help) {
  return {
      .key = std::move(key),
      .group = "",
      .help = std::move(help),
      .type = "numbers",
      .allowed = {},
      .decides_result = decides,
      .set =
          [=](Spec& spec, std::string_view text) {
            spec.*field = parse_numbers(text, range);
          },
      .get_toml = [=](const Spec& spec) { return toml_numbers(spec.*field); }};
}

SpecEntry
yes_no(std::string key, bool Spec::*field, bool decides, std::string help) {
  return {
      .key = std::move(key),
      .group = "",
      .help = std::move(help),
      .type = "yes/no",
      .allowed = {},
      .decides_result = decides,
      .set = [=](Spec& spec,
                 std::string_view text) { spec.*field = parse_yes_no(text); },
      .get_toml = [=](const Spec& spec) -> std::string {
        return spec.*field ? "true" : "false";
      }};
}

SpecEntry text(
    std::string key,
    std::string Spec::*field,
    bool decides,
    std::string help) {
  return {
      .key = std::move(key),
      .group = "",
      .help = std::move(help),
      .type = "text",
      .allowed = {},
      .decides_result = decides,
      .set = [=](Spec& spec, std::string_view text) { spec.*field = text; },
      .get_toml = [=](const Spec& spec) { return toml_text(spec.*field); }};
}

// An option that came later than the first runs: see hashed_at_default.
SpecEntry if_given(SpecEntry entry) {
  entry.hashed_at_default = false;
  return entry;
}

// A text that a reader of its own understands, or none at all.
template <typename Check>
SpecEntry words(
    std::string key,
    std::string Spec::*field,
    Check check,
    std::string help) {
  SpecEntry entry =
      if_given(text(std::move(key), field, kDecides, std::move(help)));
  entry.set = [=](Spec& spec, std::string_view text) {
    if (!text.empty()) check(text);
    spec.*field = text;
  };
  return entry;
}

// A word of a list; also empty where that is the default ("not given").
SpecEntry choice(
    std::string key,
    std::string Spec::*field,
    std::vector<std::string> allowed,
    bool decides,
    std::string help) {
  SpecEntry entry = text(key, field, decides, std::move(help));
  entry.allowed = allowed;
  entry.set = [=](Spec& spec, std::string_view word) {
    const bool may_be_empty = (Spec().*field).empty();
    const bool known =
        std::find(allowed.begin(), allowed.end(), word) != allowed.end();
    if (!known && !(word.empty() && may_be_empty)) {
      throw ConfigError(unknown_name(key, word, allowed));
    }
    spec.*field = word;
  };
  return entry;
}

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table)
    names.push_back(entry.name);
  return names;
}

// -1 stands for "from the other options"; no other negative value does.
SpecEntry gamma() {
  SpecEntry entry = number(
      "gamma",
      &Spec::gamma,
      {0, kNoBound},
      kDecides,
      "ada: neighbours lost an epoch; -1 = (k0 - k-min) / (epochs - 1)");
  entry.set = [checked = entry.set](Spec& spec, std::string_view text) {
    if (text == "-1" || text == "-1.0") {
      spec.gamma = -1;
    } else {
      checked(spec, text);
    }
  };
  return entry;
}

std::vector<SpecEntry> task_entries() {
  return {
      text("model", &Spec::model, kDecides, "what is trained: see `models`"),
      text("data", &Spec::data, kDecides, "what on: see `data list`"),
      text(
          "data-dir",
          &Spec::data_dir,
          kDoesNot,
          "where the data lie; empty = the usual places"),
      integer(
          "synthetic-samples",
          &Spec::synthetic_samples,
          {1, kAnyMore},
          kDecides,
          "training samples of the synthetic data"),
      integer(
          "train-samples",
          &Spec::train_samples,
          {0, kAnyMore},
          kDecides,
          "train on a fixed random subset of so many; 0 = on all"),
      integer(
          "test-samples",
          &Spec::test_samples,
          {0, kAnyMore},
          kDecides,
          "evaluate on a fixed random subset of so many; 0 = on all"),
      integer(
          "context",
          &Spec::context,
          {1, 65536},
          kDecides,
          "text: tokens of a sample, as far as a model sees back"),
      if_given(integer(
          "image-size",
          &Spec::image_size,
          {1, 4096},
          kDecides,
          "imagenet: side of a sample, in pixels")),
      if_given(choice(
          "augment",
          &Spec::augment,
          {"none", "crop-flip", "crop-flip-cutout"},
          kDecides,
          "small images in training: shifted and mirrored by chance, a square "
          "taken out of them")),
      if_given(integer(
          "cutout",
          &Spec::cutout,
          {1, 4096},
          kDecides,
          "augment crop-flip-cutout: side of the square, in pixels")),
      if_given(text(
          "vocabulary",
          &Spec::vocabulary,
          kDecides,
          "text: file of byte pairs, from `data bpe`; empty = bytes")),
      if_given(text(
          "source-language",
          &Spec::source_language,
          kDecides,
          "parallel-text: ending of the files to translate from")),
      if_given(text(
          "target-language",
          &Spec::target_language,
          kDecides,
          "parallel-text: ending of the files to translate into")),
      if_given(integer(
          "longest",
          &Spec::longest,
          {1, 65536},
          kDecides,
          "parallel-text: most tokens of a side; longer pairs are not trained "
          "on")),
      if_given(choice(
          "split",
          &Spec::split,
          {"iid", "dirichlet", "class", "file"},
          kDecides,
          "who gets which samples: anybody any, every worker some classes more "
          "than others, each only a few classes, or whole files")),
      if_given(number(
          "alpha",
          &Spec::alpha,
          {.least = 0, .most = kNoBound, .above = true},
          kDecides,
          "split dirichlet: the smaller, the more the workers' data differ")),
      number(
          "dropout",
          &Spec::dropout,
          {.least = 0, .most = 1, .below = true},
          kDecides,
          "probability, in models that have it"),
      text(
          "init",
          &Spec::init,
          kDecides,
          "safetensors file with the initial parameters"),
  };
}

std::vector<SpecEntry> algorithm_entries() {
  return {
      choice(
          "preset",
          &Spec::preset,
          names_of(preset_table()),
          kDoesNot,
          "sets agreement, optimizer and graph"),
      choice(
          "agreement",
          &Spec::agreement,
          names_of(algo::agreement_table()),
          kDecides,
          "how replicas are synchronized"),
      choice(
          "optimizer",
          &Spec::optimizer,
          names_of(algo::optimizer_table()),
          kDecides,
          "every worker's own step"),
      choice(
          "buffers",
          &Spec::buffers,
          {"local", "averaged"},
          kDecides,
          "batch-norm statistics stay a worker's own, or are mixed too"),
      if_given(number(
          "rate",
          &Spec::rate,
          {0, 1000},
          kDecides,
          "gossip: averagings that a worker takes part in, for each of its "
          "gradients")),
      if_given(choice(
          "averagings",
          &Spec::averagings,
          {"poisson", "exact"},
          kDecides,
          "gossip: how many follow a gradient, by chance or as evenly as can "
          "be")),
      if_given(yes_no(
          "continuous-momentum",
          &Spec::continuous_momentum,
          kDecides,
          "gossip: A2CiD2's, which mixes faster where neighbours are few")),
      if_given(integer(
          "max-lag",
          &Spec::max_lag,
          {-1, kAnyMore},
          kDecides,
          "gossip: a worker that is more averagings behind computes no "
          "gradient; -1 = it never waits")),
  };
}

std::vector<SpecEntry> graph_entries() {
  return {
      integer("n", &Spec::n, {1, graph::kMaxWorkers}, kDecides, "workers"),
      choice(
          "graph",
          &Spec::graph,
          names_of(graph::graph_table()),
          kDecides,
          "who averages with whom"),
      integer(
          "rows",
          &Spec::rows,
          {0, 65536},
          kDecides,
          "torus: rows; 0 = as square as possible"),
      integer(
          "k",
          &Spec::k,
          {0, 65536},
          kDecides,
          "lattice, random-regular: neighbours; 0 = 4 or what n allows"),
      text(
          "edges",
          &Spec::edges,
          kDecides,
          "edges, directed-edges: file with an edge a line"),
      integer(
          "workers-per-node",
          &Spec::workers_per_node,
          {0, 65536},
          kDecides,
          "workers that share a node, for aer and for group averages; 0 = as "
          "launched, 1 in a virtual cluster"),
      integer(
          "k0",
          &Spec::k0,
          {0, 65536},
          kDecides,
          "ada: neighbours in the first epoch; 0 = n - 1"),
      gamma(),
      integer(
          "k-min",
          &Spec::k_min,
          {2, 65536},
          kDecides,
          "ada: neighbours at least"),
      choice(
          "ada",
          &Spec::ada,
          {"epoch", "step", "auto"},
          kDecides,
          "what changes k: epochs, steps, or the spread of the replicas' "
          "norms"),
      number(
          "ada-level",
          &Spec::ada_level,
          {.least = 0, .most = kNoBound, .above = true},
          kDecides,
          "ada auto: spread to keep, in units of the largest on the first "
          "graph"),
      integer(
          "ada-every",
          &Spec::ada_every,
          {1, kAnyMore},
          kDecides,
          "ada auto: steps between looks at the spread"),
  };
}

std::vector<SpecEntry> length_entries() {
  return {
      integer(
          "epochs",
          &Spec::epochs,
          {1, 1000000},
          kDecides,
          "passes over the training data"),
      integer(
          "steps",
          &Spec::steps,
          {0, kAnyMore},
          kDecides,
          "a bound on all steps; 0 = none"),
      integer(
          "batch",
          &Spec::batch,
          {1, 1 << 24},
          kDecides,
          "samples a worker and step; parallel-text: tokens of the longer "
          "side"),
      integer(
          "micro-batches",
          &Spec::micro_batches,
          {1, 1 << 20},
          kDecides,
          "parts of a batch, one backward each, which need less memory"),
      choice(
          "partial",
          &Spec::partial,
          {"drop", "keep"},
          kDecides,
          "samples that do not fill a step of all workers"),
      integer(
          "seed",
          &Spec::seed,
          {0, kAnyMore},
          kDecides,
          "of all chance in the run"),
  };
}

std::vector<SpecEntry> rule_entries() {
  return {
      number(
          "lr",
          &Spec::lr,
          {.least = 0, .most = kNoBound, .above = true},
          kDecides,
          "learning rate, before scaling; unless given, 0.001 for adam and its "
          "kin"),
      choice(
          "lr-schedule",
          &Spec::lr_schedule,
          {"constant", "step", "cosine", "inverse-sqrt"},
          kDecides,
          "how the learning rate falls"),
      numbers(
          "lr-steps",
          &Spec::lr_steps,
          {.least = 0, .most = 1, .above = true, .below = true},
          kDecides,
          "step: times 0.1 at these fractions of the run"),
      number(
          "lr-end",
          &Spec::lr_end,
          {0, 1},
          kDecides,
          "cosine: share of the rate that is left at the end"),
      number(
          "warmup",
          &Spec::warmup,
          {0, 1e6},
          kDecides,
          "epochs of linear warm-up; fractions allowed"),
      integer(
          "warmup-steps",
          &Spec::warmup_steps,
          {0, kAnyMore},
          kDecides,
          "the same in steps, instead of epochs"),
      choice(
          "lr-scaling",
          &Spec::lr_scaling,
          {"none", "linear", "sqrt"},
          kDecides,
          "with the global batch, in units of 256 samples"),
      choice(
          "lr-scaling-by",
          &Spec::lr_scaling_by,
          {"workers", "degree"},
          kDecides,
          "global batch = batch times n, or times degree + 1"),
      number(
          "momentum",
          &Spec::momentum,
          {.least = 0, .most = 1, .below = true},
          kDecides,
          "sgd: momentum; 0 = none"),
      yes_no("nesterov", &Spec::nesterov, kDecides, "sgd: Nesterov's momentum"),
      number(
          "beta1",
          &Spec::beta1,
          {.least = 0, .most = 1, .below = true},
          kDecides,
          "adam…: what the mean gradient keeps of itself a step"),
      number(
          "beta2",
          &Spec::beta2,
          {.least = 0, .most = 1, .below = true},
          kDecides,
          "adam…: what the mean square keeps of itself a step"),
      number(
          "eps",
          &Spec::eps,
          {kLeastEps, kNoBound},
          kDecides,
          "adam…: added to the root of the mean square"),
      integer(
          "window",
          &Spec::window,
          {1, 1000000},
          kDecides,
          "accumadam…: steps whose mean gradient moves the moments"),
      number(
          "weight-decay",
          &Spec::weight_decay,
          {0, kNoBound},
          kDecides,
          "coefficient; an L2 penalty, but of the parameters themselves in the "
          "optimizers with a w"),
      choice(
          "decay",
          &Spec::decay,
          {"matrices", "all"},
          kDecides,
          "all but norms and biases decay, or everything"),
      number(
          "clip",
          &Spec::clip,
          {0, kNoBound},
          kDecides,
          "largest norm of a gradient; 0 = none"),
      number(
          "label-smoothing",
          &Spec::label_smoothing,
          {.least = 0, .most = 1, .below = true},
          kDecides,
          "share of a label that is spread over all classes"),
      number(
          "ema",
          &Spec::ema,
          {.least = 0, .most = 1, .below = true},
          kDecides,
          "decay of a moving average of the weights, which is evaluated too; "
          "0 = none"),
      integer(
          "early-stop",
          &Spec::early_stop,
          {0, kAnyMore},
          kDecides,
          "end after so many evaluations without a better one; 0 = never"),
  };
}

std::vector<SpecEntry> measurement_entries() {
  return {
      integer(
          "probe-every",
          &Spec::probe_every,
          {0, kAnyMore},
          kDecides,
          "steps (asynchronous: rounds) between records of norms; 0 = never"),
      integer(
          "trace-every",
          &Spec::trace_every,
          {0, kAnyMore},
          kDoesNot,
          "steps between pairs of steps whose timeline is recorded; 0 = never"),
      integer(
          "eval-every",
          &Spec::eval_every,
          {0, kAnyMore},
          kDecides,
          "epochs between evaluations; 0 = only the last"),
      integer(
          "eval-samples",
          &Spec::eval_samples,
          {1, kAnyMore},
          kDecides,
          "test samples that every replica is evaluated on"),
      yes_no(
          "eval-full",
          &Spec::eval_full,
          kDecides,
          "evaluate replicas on the whole test set"),
      if_given(integer(
          "beam",
          &Spec::beam,
          {0, 1024},
          kDecides,
          "parallel-text: width of the search that translates the test set at "
          "the end, for BLEU; 0 = none")),
      if_given(number(
          "length-penalty",
          &Spec::length_penalty,
          {.least = 0, .most = 10},
          kDecides,
          "parallel-text: how much the search makes up for longer sentences")),
      yes_no(
          "keep-best",
          &Spec::keep_best,
          kDoesNot,
          "keep the model of the best evaluation, best.safetensors"),
  };
}

std::vector<SpecEntry> clock_entries() {
  return {
      words(
          "compute",
          &Spec::compute,
          [](std::string_view text) { parse_compute(text); },
          "forward, backward and update of a step, like 4ms,8ms,1ms, or all "
          "of it, like 12ms"),
      words(
          "link",
          &Spec::link,
          [](std::string_view text) { parse_link(text); },
          "rate of a node each way and delay of a link, like 1gbit,2ms; links "
          "that differ behind a semicolon each, like "
          "1gbit,2ms;2-3:100mbit,10ms"),
      words(
          "slow",
          &Spec::slow,
          [](std::string_view text) { parse_slow(text); },
          "slow workers, like 3:2.0 or random:0.1:2.0"),
      words(
          "costs",
          &Spec::costs,
          [](std::string_view) {},
          "file of `plan measure`: compute and links"),
  };
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const net::TransportEntry* entry : net::kTransports)
    names.emplace_back(entry->name);
  return names;
}

std::vector<SpecEntry> execution_entries() {
  return {
      choice(
          "transport",
          &Spec::transport,
          transport_names(),
          kDoesNot,
          "what connects the workers; empty = as launched"),
      integer(
          "threads",
          &Spec::threads,
          {0, 4096},
          kDoesNot,
          "of the virtual cluster; 0 = all cores"),
      bytes(
          "bucket-bytes",
          &Spec::bucket_bytes,
          {64, int64_t{1} << 40},
          kDoesNot,
          "size of an exchanged bucket"),
      yes_no(
          "packing",
          &Spec::packing,
          kDoesNot,
          "pack what goes over Gloo, without loss, to 0.85 of its bytes"),
      number(
          "deadline",
          &Spec::deadline,
          {.least = 0, .most = 1e9, .above = true},
          kDoesNot,
          "seconds that a worker waits for another"),
      integer(
          "checkpoint-every",
          &Spec::checkpoint_every,
          {-1, kAnyMore},
          kDoesNot,
          "steps between checkpoints; 0 = once a minute, -1 = none at all"),
      integer(
          "prefetch",
          &Spec::prefetch,
          {0, 1024},
          kDoesNot,
          "batches gathered ahead"),
      integer(
          "loader-threads",
          &Spec::loader_threads,
          {1, 1024},
          kDoesNot,
          "threads that gather them"),
      text(
          "device",
          &Spec::device,
          kDoesNot,
          "that models compute on: cpu, cuda, cuda:0, …"),
      text(
          "out",
          &Spec::out,
          kDoesNot,
          "directory of the run; empty = runs/<name>"),
      yes_no("fresh", &Spec::fresh, kDoesNot, "begin again where a run exists"),
      yes_no(
          "check",
          &Spec::check,
          kDoesNot,
          "verify invariants at every step"),
  };
}

std::vector<SpecEntry> make_table() {
  std::vector<SpecEntry> table;
  const auto add = [&](const std::string& group,
                       std::vector<SpecEntry> entries) {
    for (SpecEntry& entry : entries) {
      entry.group = group;
      table.push_back(std::move(entry));
    }
  };
  add("Task", task_entries());
  add("Algorithm", algorithm_entries());
  add("Graph", graph_entries());
  add("Length", length_entries());
  add("Local rule", rule_entries());
  add("Measurement", measurement_entries());
  add("Virtual clock", clock_entries());
  add("Execution", execution_entries());
  return table;
}

} // namespace

const std::vector<SpecEntry>& spec_table() {
  static const std::vector<SpecEntry> table = make_table();
  return table;
}

const SpecEntry* find_entry(std::string_view key) {
  for (const SpecEntry& entry : spec_table()) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string flag_of(std::string_view key) {
  return fmt::format("{}{}", key == "n" ? "-" : "--", key);
}

} // namespace grapevine::spec
