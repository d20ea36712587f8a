#include "cli/plan_query.h"

#include "base/error.h"
#include "base/names.h"
#include "base/option_values.h"
#include "graph/schedule.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

namespace grapevine::cli {
namespace {

// A forecast goes through some averagings of every worker, gradient by
// gradient.
constexpr double kLeastRate = 0.01;
constexpr double kMostRate = 1000;
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kMostSteps = 1000000;

constexpr const char* kGroup = "Predict and recommend";

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == mark) {
      parts.emplace_back();
    } else if (c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

int count_of(const std::string& text) {
  return static_cast<int>(parse_integer(text, {1, graph::kMaxWorkers}));
}

bool parse_mover(const std::string& text) {
  const std::vector<std::string> movers = {"plans", "rings"};
  if (std::ranges::count(movers, text) == 0) {
    throw ConfigError(unknown_name("mover", text, movers));
  }
  return text == "rings";
}

} // namespace

std::vector<int> parse_counts(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& part : split(text, ',')) {
    const size_t dots = part.find("..");
    const int first = count_of(part.substr(0, dots));
    const int last =
        dots == std::string::npos ? first : count_of(part.substr(dots + 2));
    if (last < first) {
      throw ConfigError(fmt::format("{} ends before it begins", part));
    }
    for (int n = first; n <= last; ++n)
      counts.push_back(n);
  }
  std::ranges::sort(counts);
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  return counts;
}

std::vector<std::string> parse_words(const std::string& text) {
  std::vector<std::string> words = split(text, ',');
  std::erase(words, "");
  return words;
}

void PlanQuery::declare(CLI::App& app) {
  using Text = const std::string&;
  const auto add = [&](const char* flag,
                       const char* type,
                       const char* shown_default,
                       const std::string& help,
                       std::function<void(Text)> read) {
    auto* option = app.add_option(flag, help)
                       ->type_name(type)
                       ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                       ->group(kGroup);
    if (*shown_default != '\0') option->default_str(shown_default);
    flags_.push_back({option, std::move(read)});
  };
  sim::Query& it = query_;
  add("--costs", "FILE", "", "what `plan measure` wrote", [&](Text text) {
    costs_file_ = text;
  });
  add("--compute",
      "TIMES",
      "",
      "forward, backward and update of a step, like 4ms,8ms,1ms; in place of "
      "those in the file",
      [&](Text text) { compute_ = parse_compute(text); });
  add("--model-bytes",
      "BYTES",
      "",
      "size of the model, like 25MB; with --compute alone",
      [&](Text text) {
        model_bytes_ = parse_bytes(text, {4, kMost});
      });
  add("-n", "LIST", "8", "workers, like 2..8,16,64", [&](Text text) {
    counts_ = parse_counts(text);
  });
  add("--link",
      "RATE[,DELAY][;A-B:RATE[,DELAY]]...",
      "",
      "rate of a node and delay of a link, like 1gbit,2ms; links that differ "
      "after a semicolon each, like \"1gbit,2ms;2-3:100mbit,10ms\"; in place "
      "of those in the file",
      [&](Text text) { it.link = parse_link(text); });
  add("--slow",
      "WHO",
      "",
      "slow workers, like 3:2.0 or random:0.1:2.0",
      [&](Text text) { it.slow = parse_slow(text); });
  add("--workers-per-node", "N", "", "workers of a node", [&](Text text) {
    it.workers_per_node = count_of(text);
  });
  add("--algorithms", "LIST", "", "of these only", [&](Text text) {
    it.algorithms = parse_words(text);
  });
  add("--graphs",
      "LIST",
      "",
      "of these only; ada is the mean over a run of it",
      [&](Text text) { it.graphs = parse_words(text); });
  add("--k", "LIST", "", "lattice, random-regular: neighbours", [&](Text text) {
    it.degrees = parse_counts(text);
  });
  add("--edges",
      "FILE",
      "",
      "edges, directed-edges: file with an edge a line",
      [&](Text text) { it.edges_file = text; });
  add("--rate",
      "X",
      "1",
      "gossip: averagings for each gradient",
      [&](Text text) {
        it.rate = parse_number(text, {.least = kLeastRate, .most = kMostRate});
      });
  add("--bucket-bytes",
      "BYTES",
      "1MiB",
      "size of an exchanged bucket",
      [&](Text text) {
        bucket_bytes_ = parse_bytes(text, {64, kMost});
      });
  add("--mover",
      "plans|rings",
      "plans",
      "who moves the bytes: our own plans, or rings as other libraries have "
      "them",
      [&](Text text) { it.rings = parse_mover(text); });
  add("--steps", "N", "200", "iterations of the model", [&](Text text) {
    it.steps = static_cast<int>(parse_integer(text, {1, kMostSteps}));
  });
  add("--seed", "N", "1", "random seed of the compute times", [&](Text text) {
    it.seed = static_cast<uint64_t>(parse_integer(text, {0, kMost}));
  });
  const auto add_switch = [&](const char* flag, bool& value, const char* help) {
    flags_.push_back({app.add_flag(flag, value, help)->group(kGroup), nullptr});
  };
  add_switch(
      "--packing",
      it.packing,
      "what goes between nodes is packed, as by train --packing");
  add_switch(
      "--clipped",
      it.after_backward,
      "gradients are clipped by their norm: updates come after backward");
}

std::vector<std::string> PlanQuery::given() const {
  std::vector<std::string> flags;
  for (const Flag& flag : flags_) {
    if (flag.option->count() > 0) flags.push_back(flag.option->get_name());
  }
  return flags;
}

void PlanQuery::read() {
  for (const Flag& flag : flags_) {
    if (flag.option->count() == 0 || !flag.read) continue;
    const std::string& text = flag.option->results().back();
    try {
      if (!text.empty()) flag.read(text);
    } catch (const ConfigError& error) {
      throw ConfigError(
          fmt::format("{}: {}", flag.option->get_name(), error.what()));
    }
  }
  query_.costs = costs();
}

sim::Costs PlanQuery::costs() const {
  if (costs_file_.empty() && (!compute_ || model_bytes_ == 0)) {
    throw ConfigError(
        "say what a step costs: --costs FILE (see `plan measure`), or "
        "--compute 4ms,8ms --model-bytes 25MB --link 1gbit,2ms");
  }
  if (costs_file_.empty() && !query_.link) {
    throw ConfigError(
        "--link: say what joins the workers, like 1gbit,2ms or unlimited");
  }
  sim::Costs costs;
  if (!costs_file_.empty()) costs = sim::read_costs(costs_file_);
  if (compute_) {
    costs.compute = sim::uniform_compute(
        compute_->forward,
        compute_->backward,
        compute_->update,
        sim::even_buckets(
            model_bytes_ > 0 ? model_bytes_ : costs.compute.model_bytes(),
            bucket_bytes_));
    return costs;
  }
  if (model_bytes_ > 0) {
    throw ConfigError(
        "--model-bytes: goes with --compute; the file of costs has its own");
  }
  costs.compute = sim::with_buckets(costs.compute, bucket_bytes_);
  return costs;
}

} // namespace grapevine::cli
