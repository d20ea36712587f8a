#include "report/gossip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

// Fewer gradients do not show a worker's speed.
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

std::string times_text(double count) {
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

std::span<const GossipField> gossip_fields() {
  static constexpr GossipField kFields[] = {
      {"gradients", "gradients", &GossipWorker::gradients},
      {"averagings", "averagings", &GossipWorker::averagings},
      {"rate", "rate", &GossipWorker::rate},
      {"wait_seconds", "wait_seconds_mean", &GossipWorker::wait},
      {"wait_most", "wait_most", &GossipWorker::wait_most},
      {"pair_seconds", "pair_seconds_mean", &GossipWorker::pair},
      {"staleness", "staleness_mean", &GossipWorker::staleness},
      {"staleness_most", "staleness_most", &GossipWorker::staleness_most},
      {"held_seconds", "held_seconds", &GossipWorker::held_seconds},
      {"lost", "lost", &GossipWorker::lost},
      {"came_back", "came_back", &GossipWorker::came_back}};
  return kFields;
}

void write_gossip(JsonWriter& json, const Gossip& gossip) {
  constexpr int kDigits = 5;
  json.field("asked_rate", gossip.asked_rate);
  json.field("has_clock", gossip.has_clock);
  json.object("all", [&] {
    for (const GossipField& field : gossip_fields())
      json.field(field.name, gossip.all.*field.value);
  });
  // A list per figure, one number per worker.
  json.object("workers", [&] {
    for (const GossipField& field : gossip_fields()) {
      std::vector<double> column;
      for (const GossipWorker& worker : gossip.workers)
        column.push_back(worker.*field.value);
      json.key(field.name);
      json.numbers(column, kDigits);
    }
  });
  json.key("members");
  gossip.members.empty() ? json.null() : json.value(gossip.members);
  json.objects("changes", gossip.changes, [&](const GossipChange& change) {
    json.field("seconds", change.seconds);
    json.field("worker", change.worker);
    json.field("seen_by", change.seen_by);
    json.field("is_there", change.is_there);
    json.field("why", change.why);
  });
  json.objects("slow_links", gossip.slow_links, [&](const GossipLink& link) {
    json.field("a", link.a);
    json.field("b", link.b);
    json.field("averagings", link.averagings);
    json.field("pair_seconds", link.pair);
    json.field("ratio", link.ratio);
  });
  json.field("sentences", gossip.sentences);
}

} // namespace grapevine::report
