#include "cli/plan_question.h"

#include "base/compute_words.h"
#include "base/error.h"
#include "base/names.h"
#include "base/option_values.h"

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

// What parse() returns; its complaint gets the flag's name.
template <typename Parse>
auto of_flag(const std::string& flag, const Parse& parse) {
  try {
    return parse();
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", flag, error.what()));
  }
}

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

} // namespace

std::vector<int> parse_counts(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& part : split(text, ',')) {
    const size_t dots = part.find("..");
    if (dots == std::string::npos) {
      counts.push_back(count_of(part));
      continue;
    }
    const int first = count_of(part.substr(0, dots));
    const int last = count_of(part.substr(dots + 2));
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

void PlanQuestion::declare(CLI::App& app) {
  const auto add = [&](const char* flag,
                       std::string& value,
                       const char* help,
                       const char* type) {
    auto* option = app.add_option(flag, value, help)
                       ->type_name(type)
                       ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                       ->group("Predict and recommend");
    if (!value.empty()) option->default_str(value);
    options_.push_back(option);
  };
  add("--costs", costs_, "what `plan measure` wrote", "FILE");
  add("--compute",
      compute_,
      "forward, backward and update of a step, like 4ms,8ms,1ms; in place of "
      "those in the file",
      "TIMES");
  add("--model-bytes",
      model_bytes_,
      "size of the model, like 25MB; with --compute alone",
      "BYTES");
  add("-n", counts_, "workers, like 2..8,16,64", "LIST");
  add("--link",
      link_,
      "rate of a node and delay of a link, like 1gbit,2ms; links that differ "
      "behind a semicolon each, like \"1gbit,2ms;2-3:100mbit,10ms\"; in place "
      "of those in the file",
      "RATE[,DELAY][;A-B:RATE[,DELAY]]...");
  add("--slow", slow_, "slow workers, like 3:2.0 or random:0.1:2.0", "WHO");
  add("--workers-per-node", workers_per_node_, "workers of a node", "N");
  add("--algorithms", algorithms_, "of these only", "LIST");
  add("--graphs",
      graphs_,
      "of these only; ada is the mean over a run of it",
      "LIST");
  add("--k", degrees_, "lattice, random-regular: neighbours", "LIST");
  add("--edges",
      edges_,
      "edges, directed-edges: file with an edge a line",
      "FILE");
  add("--rate", rate_, "gossip: averagings for each gradient", "X");
  add("--bucket-bytes", bucket_bytes_, "size of an exchanged bucket", "BYTES");
  add("--mover",
      mover_,
      "who moves the bytes: our own plans, or rings as other libraries have "
      "them",
      "plans|rings");
  add("--steps", steps_, "iterations of the model", "N");
  add("--seed", seed_, "of the draws of compute times", "N");
  const auto add_flag = [&](const char* flag, bool& value, const char* help) {
    options_.push_back(
        app.add_flag(flag, value, help)->group("Predict and recommend"));
  };
  add_flag(
      "--packing",
      packing_,
      "what goes between nodes is packed, as by train --packing");
  add_flag(
      "--clipped",
      clipped_,
      "gradients are clipped by their norm: updates come after backward");
}

std::vector<std::string> PlanQuestion::given() const {
  std::vector<std::string> flags;
  for (const CLI::Option* option : options_) {
    if (option->count() > 0) flags.push_back(option->get_name());
  }
  return flags;
}

sim::Costs PlanQuestion::costs() const {
  if (costs_.empty() && (compute_.empty() || model_bytes_.empty())) {
    throw ConfigError(
        "say what a step costs: --costs FILE (see `plan measure`), or "
        "--compute 4ms,8ms --model-bytes 25MB --link 1gbit,2ms");
  }
  if (costs_.empty() && link_.empty()) {
    throw ConfigError(
        "--link: say what joins the workers, like 1gbit,2ms or unlimited");
  }
  sim::Costs costs;
  if (!costs_.empty()) costs = sim::read_costs(costs_);
  const int64_t bucket = of_flag("--bucket-bytes", [&] {
    return parse_bytes(bucket_bytes_, {64, kMost});
  });
  if (compute_.empty()) {
    if (!model_bytes_.empty()) {
      throw ConfigError(
          "--model-bytes: goes with --compute; the file of costs has its own");
    }
    costs.compute = sim::with_buckets(costs.compute, bucket);
    return costs;
  }
  int64_t bytes = costs.compute.model_bytes();
  if (!model_bytes_.empty()) {
    bytes = of_flag("--model-bytes", [&] {
      return parse_bytes(model_bytes_, {4, kMost});
    });
  }
  const auto words =
      of_flag("--compute", [&] { return parse_compute(compute_); });
  costs.compute = sim::uniform_compute(
      words.forward,
      words.backward,
      words.update,
      sim::even_buckets(bytes, bucket));
  return costs;
}

sim::Question PlanQuestion::question() const {
  sim::Question question;
  question.costs = costs();
  question.choices = {
      .algorithms = parse_words(algorithms_),
      .graphs = parse_words(graphs_),
      .degrees = degrees_.empty()
                     ? std::vector<int>()
                     : of_flag("--k", [&] { return parse_counts(degrees_); }),
      .edges_file = edges_,
      .rate = of_flag("--rate", [&] {
        return parse_number(rate_, {.least = kLeastRate, .most = kMostRate});
      })};
  if (!workers_per_node_.empty()) {
    question.workers_per_node = of_flag("--workers-per-node", [&] {
      return count_of(workers_per_node_);
    });
  }
  if (!link_.empty()) {
    question.link = of_flag("--link", [&] { return parse_link(link_); });
  }
  question.packing = packing_;
  question.slow = of_flag("--slow", [&] { return parse_slow(slow_); });
  const std::vector<std::string> movers = {"plans", "rings"};
  if (std::ranges::count(movers, mover_) == 0) {
    throw ConfigError(unknown_name("mover", mover_, movers));
  }
  question.mover = mover_ == "plans" ? sim::Mover::kPlans : sim::Mover::kRings;
  question.after_backward = clipped_;
  question.steps = of_flag("--steps", [&] {
    return static_cast<int>(parse_integer(steps_, {1, 1000000}));
  });
  question.seed = of_flag("--seed", [&] {
    return static_cast<uint64_t>(parse_integer(seed_, {0, kMost}));
  });
  return question;
}

std::vector<int> PlanQuestion::counts() const {
  return of_flag("-n", [&] { return parse_counts(counts_); });
}

} // namespace grapevine::cli
