#include "report/gossip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

// Fewer gradients say nothing about a worker's speed.
constexpr double kFewGradients = 20;
constexpr size_t kMostNamed = 5;

double median_gradients(const Gossip& gossip) {
  std::vector<double> counts;
  for (const GossipWorker& worker : gossip.workers)
    counts.push_back(worker.gradients);
  return median(std::move(counts));
}

// "1, 4 and 7"; of many the first.
std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  const size_t shown = std::min(names.size(), kMostNamed);
  for (size_t i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == names.size();
    text += fmt::format(
        "{}{}",
        i == 0    ? ""
        : is_last ? " and "
                  : ", ",
        names[i]);
  }
  if (names.size() > shown) {
    text += fmt::format(" and {} more", names.size() - shown);
  }
  return text;
}

void say_slow(Gossip& gossip) {
  const double median = median_gradients(gossip);
  if (!(median >= kFewGradients)) return;
  std::vector<int> slow;
  for (size_t i = 0; i < gossip.workers.size(); ++i) {
    if (gossip.workers[i].gradients < kSlowShare * median) {
      slow.push_back(static_cast<int>(i));
    }
  }
  if (slow.empty()) return;
  std::ranges::stable_sort(slow, {}, [&](int rank) {
    return gossip.workers[rank].gradients;
  });
  std::vector<std::string> names;
  for (const int rank : slow) {
    names.push_back(fmt::format(
        "worker {} ({:.2f})",
        rank,
        gossip.workers[rank].gradients / median));
  }
  gossip.sentences.push_back(fmt::format(
      "Below {} of the median worker's {:.0f} gradients: {}.",
      kSlowShare,
      median,
      list_text(names)));
}

void say_rate(Gossip& gossip) {
  const GossipWorker& all = gossip.all;
  if (!(all.gradients >= kFewGradients)) return;
  if (!(all.rate < kLowRateShare * gossip.asked_rate)) return;
  std::string why;
  if (all.averagings > 0) {
    why = fmt::format(
        "; one took {} to find a partner and {} with it",
        gossip_time(gossip, all.wait),
        gossip_time(gossip, all.pair));
  }
  gossip.sentences.push_back(fmt::format(
      "The workers averaged {:.2f} times a gradient, not {:.3g} times as asked "
      "for{}.",
      all.rate,
      gossip.asked_rate,
      why));
}

void say_links(Gossip& gossip) {
  std::vector<std::string> names;
  for (const GossipLink& link : gossip.slow_links) {
    names.push_back(fmt::format(
        "that between workers {} and {} ({}{})",
        link.a,
        link.b,
        gossip_time(gossip, link.pair),
        std::isfinite(link.ratio) ? fmt::format(", {:.1f} times", link.ratio)
                                  : ""));
  }
  if (names.empty()) return;
  gossip.sentences.push_back(fmt::format(
      "Links over which an averaging takes more than {} times as long as over "
      "the median one: {}.",
      kSlowLinkRatio,
      list_text(names)));
}

std::string times_text(int count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

void say_losses(Gossip& gossip) {
  std::vector<std::string> names;
  for (size_t i = 0; i < gossip.workers.size(); ++i) {
    const GossipWorker& worker = gossip.workers[i];
    if (worker.lost == 0) continue;
    names.push_back(fmt::format(
        "worker {} {} ({})",
        i,
        times_text(worker.lost),
        worker.came_back == 0 ? "never to return"
                              : "back " + times_text(worker.came_back)));
  }
  if (!names.empty()) {
    gossip.sentences.push_back("Lost: " + list_text(names) + ".");
  }
  const bool is_short =
      !gossip.members.empty() && gossip.members.size() < gossip.workers.size();
  if (is_short) {
    gossip.sentences.push_back(fmt::format(
        "The final average is over {} of {} workers.",
        gossip.members.size(),
        gossip.workers.size()));
  }
}

} // namespace

std::string gossip_time(const Gossip& gossip, double time) {
  if (!std::isfinite(time)) return "–";
  if (!gossip.has_clock) return fmt::format("{:.3g} gradients", time);
  if (time == 0) return "0 s";
  return time < 1 ? fmt::format("{:.3g} ms", 1000 * time)
                  : fmt::format("{:.3g} s", time);
}

void say_gossip(Gossip& gossip) {
  gossip.sentences.clear();
  say_slow(gossip);
  say_rate(gossip);
  say_links(gossip);
  say_losses(gossip);
}

} // namespace grapevine::report
