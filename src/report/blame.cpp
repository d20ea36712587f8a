#include "report/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::report {
namespace {

// A worker that waits at least this share of the median worker is not what the
// others wait for.
constexpr double kPassesAllOn = 0.75;
// Lateness crosses any sensible graph in fewer turns; the last of them tell
// what goes round.
constexpr int kMostTurns = 256;
// Compute that differs by less is noise.
constexpr double kSlower = 1.05;

std::vector<Wait> merge(const std::vector<Wait>& waits, int workers) {
  const auto is_worker = [&](int k) { return k >= 0 && k < workers; };
  std::map<std::pair<int, int>, double> sums;
  for (const Wait& wait : waits) {
    if (is_worker(wait.worker) && is_worker(wait.peer) &&
        wait.worker != wait.peer && std::isfinite(wait.seconds) &&
        wait.seconds > 0) {
      sums[{wait.worker, wait.peer}] += wait.seconds;
    }
  }
  std::vector<Wait> merged;
  for (const auto& [pair, seconds] : sums)
    merged.push_back({pair.first, pair.second, seconds});
  return merged;
}

// Follows waits to where they come from, all edges at once, a link per turn.
class Chase {
 public:
  Chase(const std::vector<Wait>& waits, int workers)
      : waits_(waits),
        waited_(workers),
        stays_(workers),
        rounds_(waits.size()) {
    for (const Wait& wait : waits_)
      waited_[wait.worker] += wait.seconds;
    const double enough = kPassesAllOn * median(waited_);
    for (const double seconds : waited_) {
      passed_on_.push_back(
          seconds >= enough ? (seconds > 0 ? 1 : 0) : seconds / enough);
    }
    run();
  }

  // By worker: seconds that all waited.
  const std::vector<double>& waited() const { return waited_; }
  // By worker: seconds that end there.
  const std::vector<double>& stays() const { return stays_; }
  // By wait: seconds that go round and are there at any one time.
  const std::vector<double>& rounds() const { return rounds_; }

 private:
  void run() {
    const auto workers = static_cast<int>(waited_.size());
    const int rounds = std::min(workers, kMostTurns / 4);
    const int turns = 4 * rounds;
    std::vector<double> seconds;
    for (const Wait& wait : waits_)
      seconds.push_back(wait.seconds);
    for (int turn = 0; turn < turns; ++turn) {
      if (turn >= turns - rounds) {
        for (size_t e = 0; e < seconds.size(); ++e)
          rounds_[e] += seconds[e] / rounds;
      }
      pass_on(seconds);
    }
  }

  void pass_on(std::vector<double>& seconds) {
    std::vector<double> at(waited_.size());
    for (size_t e = 0; e < seconds.size(); ++e)
      at[waits_[e].peer] += seconds[e];
    for (size_t k = 0; k < at.size(); ++k)
      stays_[k] += (1 - passed_on_[k]) * at[k];
    for (size_t e = 0; e < seconds.size(); ++e) {
      const int k = waits_[e].worker;
      seconds[e] = passed_on_[k] * at[k] * waits_[e].seconds / waited_[k];
    }
  }

  const std::vector<Wait>& waits_;
  std::vector<double> waited_;
  std::vector<double> passed_on_;
  std::vector<double> stays_;
  std::vector<double> rounds_;
};

std::optional<Straggler> find_straggler(
    const Chase& chase,
    const std::vector<double>& compute) {
  const auto most = std::ranges::max_element(chase.stays());
  if (most == chase.stays().end()) return std::nullopt;
  const auto worker = most - chase.stays().begin();
  return Straggler{
      .worker = static_cast<int>(worker),
      .cost = *most / static_cast<double>(compute.size()),
      .compute_ratio = compute[worker] / median(finite(compute))};
}

std::optional<SlowLink>
find_link(const Chase& chase, const std::vector<Wait>& waits, size_t workers) {
  std::map<std::pair<int, int>, double> links;
  double all = 0;
  for (size_t e = 0; e < waits.size(); ++e) {
    const auto ends = std::minmax(waits[e].worker, waits[e].peer);
    links[ends] += chase.rounds()[e];
    all += chase.rounds()[e];
  }
  const auto most = std::ranges::max_element(links, {}, [](const auto& link) {
    return link.second;
  });
  if (most == links.end() || !(most->second > kLeastLinkShare * all)) {
    return std::nullopt;
  }
  return SlowLink{
      .a = most->first.first,
      .b = most->first.second,
      .cost = most->second / static_cast<double>(workers)};
}

std::string cost_text(double cost, const Blame& blame) {
  return fmt::format(
      "{:.3g} s, {:.0f} % of the {} time",
      cost,
      100 * cost / blame.seconds,
      blame.losses ? "virtual" : "training");
}

std::string compute_text(double ratio) {
  if (!std::isfinite(ratio)) return "";
  if (ratio < kSlower) {
    return "; its compute is not slower than the others', so something else "
           "keeps it";
  }
  return fmt::format("; its compute takes {:.2f} times the median", ratio);
}

std::vector<std::string> sentences_of(const Blame& blame) {
  std::vector<std::string> sentences;
  if (blame.straggler) {
    sentences.push_back(fmt::format(
        "Worker {} is the straggler: waiting for it cost the mean worker {}{}.",
        blame.straggler->worker,
        cost_text(blame.straggler->cost, blame),
        compute_text(blame.straggler->compute_ratio)));
  }
  if (blame.link) {
    sentences.push_back(fmt::format(
        "The slowest link is the one between workers {} and {}: waiting for "
        "what crosses it cost the mean worker {}.",
        blame.link->a,
        blame.link->b,
        cost_text(blame.link->cost, blame)));
  }
  if (sentences.empty()) {
    sentences.push_back(fmt::format(
        "The mean worker waited {}, and no single worker or link is to blame: "
        "the network as a whole, or steps of uneven length.",
        cost_text(blame.mean_wait, blame)));
  }
  if (blame.losses && std::isfinite(blame.losses->exposed) &&
      std::isfinite(blame.losses->straggler)) {
    sentences.push_back(fmt::format(
        "Had all computed alike, waits for bytes would have taken {:.0f} % of "
        "the virtual time; that they did not cost {:.0f} %.",
        100 * blame.losses->exposed / blame.seconds,
        100 * blame.losses->straggler / blame.seconds));
  }
  return sentences;
}

} // namespace

Blame find_blame(
    const std::vector<Wait>& waits,
    std::vector<double> compute,
    double seconds,
    std::optional<VirtualLosses> losses) {
  Blame blame;
  blame.losses = losses;
  const auto workers = compute.size();
  blame.waits = merge(waits, static_cast<int>(workers));
  blame.compute = std::move(compute);
  blame.seconds = seconds;
  const Chase chase(blame.waits, static_cast<int>(workers));
  if (workers > 0) blame.mean_wait = mean(chase.waited());
  if (!(median(chase.waited()) >= kLeastBlame * seconds && seconds > 0)) {
    return blame;
  }
  const double least = kLeastBlame * seconds;
  blame.straggler = find_straggler(chase, blame.compute);
  if (blame.straggler->cost < least) blame.straggler.reset();
  blame.link = find_link(chase, blame.waits, workers);
  if (blame.link && blame.link->cost < least) blame.link.reset();
  blame.sentences = sentences_of(blame);
  return blame;
}

void write_blame(JsonWriter& json, const Blame& blame) {
  constexpr int kDigits = 4;
  const auto write_cost = [&](double cost) {
    json.field("cost_seconds", cost);
    json.field("cost_share", cost / blame.seconds);
  };
  json.field("seconds", blame.seconds);
  json.field("mean_wait_seconds", blame.mean_wait);
  json.field("virtual", blame.losses.has_value());
  if (blame.losses) {
    json.field("exposed_seconds", blame.losses->exposed);
    json.field("straggler_seconds", blame.losses->straggler);
  }
  json.key("compute_seconds");
  json.numbers(blame.compute, kDigits);
  json.key("waits");
  json.begin_array();
  for (const Wait& wait : blame.waits) {
    json.begin_array();
    json.integer(wait.worker);
    json.integer(wait.peer);
    json.number(wait.seconds, kDigits);
    json.end_array();
  }
  json.end_array();
  json.object_of("straggler", blame.straggler, [&](const Straggler& straggler) {
    json.field("worker", straggler.worker);
    write_cost(straggler.cost);
    json.field("compute_ratio", straggler.compute_ratio);
  });
  json.object_of("slowest_link", blame.link, [&](const SlowLink& link) {
    json.field("a", link.a);
    json.field("b", link.b);
    write_cost(link.cost);
  });
  json.field("sentences", blame.sentences);
}

} // namespace grapevine::report
