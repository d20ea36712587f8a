#include "sim/measure_links.h"

#include "base/check.h"
#include "base/median.h"
#include "mix/collectives.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace grapevine::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPings = 40;
constexpr int kRepeats = 3;
constexpr int64_t kLeastFloats = 1 << 16;
constexpr int64_t kMostFloats = 1 << 24; // 64 MB
constexpr double kWantedSeconds = 0.08;  // of one exchange
constexpr int kAlone = 4;                // pairs

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Meter {
 public:
  explicit Meter(mix::Communicator& communicator)
      : communicator_(communicator),
        plane_(kLeastFloats) {}

  // How much is exchanged, from a first try with everybody.
  void calibrate() {
    const std::vector<int> partners = matching(communicator_.size(), 0);
    exchange(partners);
    const double seconds = std::max(slowest(exchange(partners)), 1e-6);
    const double wanted = kLeastFloats * kWantedSeconds / seconds;
    const auto floats = static_cast<int64_t>(
        std::clamp(wanted, double{kLeastFloats}, double{kMostFloats}));
    plane_.resize(static_cast<size_t>(floats));
  }

  // One round; what this worker found, as (latency, bandwidth).
  std::pair<double, double> round(const std::vector<int>& partners) {
    const double latency = ping(partners[communicator_.rank()]);
    std::vector<double> seconds;
    for (int repeat = 0; repeat < kRepeats; ++repeat)
      seconds.push_back(exchange(partners));
    const double moving = std::max(median(seconds) - latency, 1e-9);
    return {
        latency,
        static_cast<double>(plane_.size() * sizeof(float)) / moving};
  }

 private:
  // Both send at once and wait for the other: a round takes one latency.
  double ping(int partner) {
    mix::barrier(communicator_);
    if (partner < 0) return 0;
    std::vector<double> seconds;
    float out = 0;
    float in = 0;
    for (int i = 0; i < kPings; ++i) {
      const auto start = Clock::now();
      mix::exchange(communicator_, partner, {&out, 1}, {&in, 1});
      seconds.push_back(seconds_since(start));
    }
    return median(seconds);
  }

  double exchange(const std::vector<int>& partners) {
    std::vector<std::vector<int>> groups;
    for (int i = 0; i < static_cast<int>(partners.size()); ++i) {
      if (partners[i] < 0) groups.push_back({i});
      if (partners[i] > i) groups.push_back({i, partners[i]});
    }
    const auto plan = mix::make_plan(
        graph::Mixing::groups(communicator_.size(), std::move(groups)),
        1);
    mix::barrier(communicator_);
    const auto start = Clock::now();
    communicator_.mix(*plan, plane_);
    return seconds_since(start);
  }

  double slowest(double mine) {
    double most = 0;
    for (const std::string& text :
         mix::all_gather(communicator_, std::to_string(mine)))
      most = std::max(most, std::stod(text));
    return most;
  }

  mix::Communicator& communicator_;
  std::vector<float> plane_;
};

// Everybody's figures on worker 0: of a pair, the mean of both ends.
void add_round(
    std::vector<LinkMeasurement>& links,
    mix::Communicator& communicator,
    const std::vector<int>& partners,
    std::pair<double, double> mine,
    bool alone) {
  const double row[] = {mine.first, mine.second};
  const auto rows = mix::gather(communicator, std::span<const double>(row), 0);
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const int j = partners[i];
    if (j <= i) continue;
    links.push_back(
        {.a = i,
         .b = j,
         .latency = (rows[i][0] + rows[j][0]) / 2,
         .bandwidth = (rows[i][1] + rows[j][1]) / 2,
         .alone = alone});
  }
}

// Pairs that are timed alone: neighbours, and as far apart as there is.
std::vector<std::pair<int, int>> lonely_pairs(int n) {
  std::vector<std::pair<int, int>> pairs = {{0, 1}};
  for (const int b : {n / 2, n - 1}) {
    if (b > 0) pairs.emplace_back(0, b);
  }
  if (n > 2) pairs.emplace_back(n / 2 - 1, n / 2);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, [](const auto& pair) {
    return pair.first < 0 || pair.first >= pair.second;
  });
  if (pairs.size() > kAlone) pairs.resize(kAlone);
  return pairs;
}

using Links = std::vector<LinkMeasurement>;

constexpr double kDiffers = 2;
constexpr double kLatencyNoise = 100e-6;
constexpr size_t kMany = 3;

class Levels {
 public:
  Levels(const Links& links, int workers_per_node)
      : links_(links),
        per_node_(workers_per_node) {}

  bool is_inside(const LinkMeasurement& link) const {
    return link.a / per_node_ == link.b / per_node_;
  }

  std::optional<Level> level(bool inside) const {
    std::vector<double> latencies;
    for (const LinkMeasurement& link : links_) {
      if (is_inside(link) == inside) latencies.push_back(link.latency);
    }
    if (latencies.empty()) return std::nullopt;
    const auto together = bandwidths(inside, false);
    const auto alone = bandwidths(inside, true);
    Level level{.latency = median(latencies)};
    if (!alone.empty() || !together.empty()) {
      level.bandwidth = median(alone.empty() ? together : alone);
    }
    // All workers of a node at once, each with a partner: what they had
    // together. It cannot be less than one has.
    if (!together.empty()) {
      level.bandwidth = std::max(level.bandwidth, median(together));
      level.shared = median(together) * per_node_;
    }
    return level;
  }

  // Nodes with far less than the usual rate between nodes.
  std::vector<NodeRate> slow_nodes() const {
    std::map<int, std::vector<double>> by_node;
    for (const LinkMeasurement& link : links_) {
      if (is_inside(link) || link.alone) continue;
      by_node[link.a / per_node_].push_back(link.bandwidth);
      by_node[link.b / per_node_].push_back(link.bandwidth);
    }
    // Of two nodes nobody can say which one it is.
    if (by_node.size() < kMany) return {};
    std::vector<double> rates;
    for (const auto& [node, list] : by_node)
      rates.push_back(median(list));
    const double usual = median(rates);
    std::vector<NodeRate> slow;
    for (const auto& [node, list] : by_node) {
      const double rate = median(list);
      if (rate * kDiffers >= usual) continue;
      slow.push_back({.node = node, .shared = rate * per_node_});
    }
    return slow;
  }

  // Far slower than its level, of which there are enough to differ from.
  bool differs(const LinkMeasurement& link, const Level& level) const {
    if (bandwidths(is_inside(link), false).size() < kMany) return false;
    return link.bandwidth * kDiffers < level.shared / per_node_ ||
           link.latency > kDiffers * level.latency + kLatencyNoise;
  }

 private:
  std::vector<double> bandwidths(bool inside, bool alone) const {
    std::vector<double> list;
    for (const LinkMeasurement& link : links_) {
      if (is_inside(link) == inside && link.alone == alone) {
        list.push_back(link.bandwidth);
      }
    }
    return list;
  }

  const Links& links_;
  int per_node_;
};

} // namespace

int matching_rounds(int n) {
  if (n < 2) return 0;
  return n % 2 == 0 ? n - 1 : n;
}

// The circle: the last of an even number stays, the others turn round it. An
// odd number turns round nobody.
std::vector<int> matching(int n, int round) {
  GV_CHECK(round >= 0 && round < matching_rounds(n));
  const int circle = n % 2 == 0 ? n - 1 : n;
  std::vector<int> partner(n, -1);
  for (int i = 0; i < circle; ++i) {
    const int other = ((round - i) % circle + circle) % circle;
    partner[i] = other == i ? -1 : other;
  }
  if (n % 2 == 0) {
    for (int i = 0; i < circle; ++i) {
      if (partner[i] >= 0) continue;
      partner[i] = n - 1;
      partner[n - 1] = i;
    }
  }
  return partner;
}

std::vector<LinkMeasurement> measure_links(
    mix::Communicator& communicator,
    const MeasureLinksOptions& options) {
  std::vector<LinkMeasurement> links;
  const int n = communicator.size();
  if (n < 2) return links;
  const auto start = Clock::now();
  Meter meter(communicator);
  meter.calibrate();
  for (const auto& [a, b] : lonely_pairs(n)) {
    std::vector<int> partners(n, -1);
    partners[a] = b;
    partners[b] = a;
    add_round(links, communicator, partners, meter.round(partners), true);
  }
  // Rounds that are far apart come first, so that a sample is one of all.
  const int rounds = matching_rounds(n);
  const int wanted = std::min(rounds, options.most_rounds);
  for (int i = 0; i < wanted; ++i) {
    const int round = static_cast<int>(int64_t{i} * rounds / wanted);
    const auto partners = matching(n, round);
    add_round(links, communicator, partners, meter.round(partners), false);
    if (mix::any(communicator, seconds_since(start) > options.seconds)) break;
  }
  return links;
}

void add_links(Costs& costs, const Links& links, int n, int workers_per_node) {
  costs.nodes = (n + workers_per_node - 1) / workers_per_node;
  costs.workers_per_node = workers_per_node;
  const Levels levels(links, workers_per_node);
  costs.inside = levels.level(true);
  costs.between = levels.level(false);
  costs.node_rates = levels.slow_nodes();
  std::set<int> slow;
  for (const NodeRate& node : costs.node_rates)
    slow.insert(node.node);
  for (const LinkMeasurement& link : links) {
    const bool has_slow_end = slow.contains(link.a / workers_per_node) ||
                              slow.contains(link.b / workers_per_node);
    if (link.alone || has_slow_end) continue;
    const auto& level = levels.is_inside(link) ? costs.inside : costs.between;
    if (!levels.differs(link, *level)) continue;
    costs.link_rates.push_back(
        {.a = link.a,
         .b = link.b,
         .latency = link.latency,
         .bandwidth = link.bandwidth});
  }
}

} // namespace grapevine::sim
