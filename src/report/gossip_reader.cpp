#include "report/gossip_reader.h"

#include "report/record_fields.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

namespace grapevine::report {
namespace {

using record::RecordLine;

constexpr int kFine = 4096;
// A page has no room for more, nor a reader time.
constexpr size_t kMostChanges = 1000;
constexpr int kMostWorkers = 1 << 20;
// Fewer averagings do not show a link's speed, nor do so few links.
constexpr double kFewAveragings = 10;
constexpr size_t kFewLinks = 3;

// In the order of GossipReader::Count.
constexpr std::array kKeys = {
    "gradients",
    "averagings",
    "staleness",
    "wait_seconds",
    "pair_seconds",
    "held_seconds"};

std::string text_at(const simdjson::dom::object& fields, std::string_view key) {
  std::string_view text;
  if (fields.at_key(key).get(text) != simdjson::SUCCESS) return "";
  return std::string(text);
}

bool is_true(const simdjson::dom::object& fields, std::string_view key) {
  bool value = false;
  return fields.at_key(key).get(value) == simdjson::SUCCESS && value;
}

double ratio(double sum, double count) {
  return count > 0 ? sum / count : kNan;
}

} // namespace

GossipReader::GossipReader(int n, int64_t probe_every)
    : probe_every_(std::max<int64_t>(probe_every, 1)),
      workers_(std::clamp(n, 0, kMostWorkers)),
      counts_(kFine, kCounts),
      distances_(static_cast<int>(workers_.size()), probe_every_) {}

void GossipReader::begin(const std::vector<int>& workers, bool is_virtual) {
  hosted_ = workers;
  is_virtual_ = is_virtual;
  if (is_virtual) return;
  for (const int rank : workers) {
    if (rank < 0 || rank >= std::ssize(workers_)) continue;
    for (Counter& counter : workers_[rank].counts)
      counter.begin_life();
    const auto end = pairs_.lower_bound({rank + 1, 0});
    for (auto it = pairs_.lower_bound({rank, 0}); it != end; ++it) {
      it->second.averagings.begin_life();
      it->second.seconds.begin_life();
    }
  }
}

void GossipReader::take(const RecordLine& line) {
  if (line.type == "gossip") {
    take_gossip(line);
  } else if (line.type == "pairs") {
    take_pairs(line);
  } else if (line.type == "membership") {
    take_membership(line);
  } else if (line.type == "end") {
    take_end(line);
  }
}

void GossipReader::take_gossip(const RecordLine& line) {
  const double rounds = number_at(line.fields, "rounds");
  const bool is_own = rounds >= 0 && rounds < Buckets::kLargestStep;
  const int64_t step =
      is_own ? static_cast<int64_t>(rounds) / probe_every_ * probe_every_
             : line.step;
  if (is_own) take_sketches(line, rounds);
  const std::span<Cell> cells = counts_.at(step);
  for (int i = 0; i < kCounts; ++i) {
    for_numbers(line.fields, kKeys[i], [&](size_t index, double value) {
      Worker* worker = hosted_worker(index);
      if (worker == nullptr) return;
      double& now = worker->counts[i].now;
      if (!(value >= now)) return;
      cells[i].add(value - now);
      now = value;
      is_empty_ = false;
    });
  }
  const auto take_most = [&](const char* key, double Worker::*most) {
    for_numbers(line.fields, key, [&](size_t index, double value) {
      Worker* worker = hosted_worker(index);
      if (worker == nullptr || !std::isfinite(value)) return;
      worker->*most = std::max(worker->*most, value);
    });
  };
  take_most("staleness_most", &Worker::staleness_most);
  take_most("wait_most", &Worker::wait_most);
}

// Null if the process hosts no such worker of the run.
GossipReader::Worker* GossipReader::hosted_worker(size_t index) {
  if (index >= hosted_.size()) return nullptr;
  const int rank = hosted_[index];
  return rank >= 0 && rank < std::ssize(workers_) ? &workers_[rank] : nullptr;
}

void GossipReader::take_sketches(const RecordLine& line, double rounds) {
  simdjson::dom::array sketches;
  if (line.fields.at_key("sketch").get(sketches) != simdjson::SUCCESS) return;
  size_t index = 0;
  for (const simdjson::dom::element row : sketches) {
    if (index >= hosted_.size()) return;
    std::vector<double> sketch;
    for_numbers(row, [&](double number) { sketch.push_back(number); });
    const int worker = hosted_[index++];
    if (is_true(line.fields, "is_last")) {
      distances_.add_last(worker, rounds, std::move(sketch));
    } else {
      distances_.add(worker, rounds, std::move(sketch));
    }
  }
}

void GossipReader::take_pairs(const RecordLine& line) {
  const auto is_rank = [&](double rank) {
    return rank >= 0 && rank < static_cast<double>(workers_.size());
  };
  const double worker = number_at(line.fields, "worker");
  if (!is_rank(worker)) return;
  std::vector<Pair*> pairs;
  for_numbers(line.fields, "peers", [&](size_t, double peer) {
    const bool is_pair = is_rank(peer) && peer != worker;
    pairs.push_back(
        is_pair ? &pairs_[{static_cast<int>(worker), static_cast<int>(peer)}]
                : nullptr);
  });
  const auto take = [&](const char* key, Counter Pair::*number) {
    for_numbers(line.fields, key, [&](size_t index, double value) {
      if (index >= pairs.size() || pairs[index] == nullptr) return;
      if (std::isfinite(value)) (pairs[index]->*number).now = value;
    });
  };
  take("averagings", &Pair::averagings);
  take("seconds", &Pair::seconds);
}

std::vector<GossipLink> GossipReader::slow_links() const {
  struct Link {
    double averagings = 0;
    double seconds = 0;
  };
  std::map<std::pair<int, int>, Link> links;
  for (const auto& [ends, pair] : pairs_) {
    Link& link = links[std::minmax(ends.first, ends.second)];
    link.averagings += pair.averagings.total();
    link.seconds += pair.seconds.total();
  }
  std::vector<GossipLink> all;
  std::vector<double> means;
  for (const auto& [ends, link] : links) {
    if (link.averagings < kFewAveragings) continue;
    means.push_back(link.seconds / link.averagings);
    all.push_back(
        {.a = ends.first,
         .b = ends.second,
         .averagings = link.averagings,
         .pair = means.back()});
  }
  if (all.size() < kFewLinks) return {};
  const double usual = median(means);
  std::erase_if(all, [&](const GossipLink& link) {
    return !(link.pair > kSlowLinkRatio * usual);
  });
  std::ranges::stable_sort(all, std::greater(), &GossipLink::pair);
  for (GossipLink& link : all)
    link.ratio = ratio(link.pair, usual);
  return all;
}

// That a neighbour is there at first is no news.
void GossipReader::take_membership(const RecordLine& line) {
  const double rank = number_at(line.fields, "worker");
  if (hosted_.empty()) return;
  if (!(rank >= 0 && rank < static_cast<double>(workers_.size()))) return;
  GossipChange change{
      .seconds = number_at(line.fields, "seconds"),
      .seen_by = hosted_.front(),
      .worker = static_cast<int>(rank),
      .is_there = is_true(line.fields, "is_there"),
      .why = text_at(line.fields, "why")};
  const std::pair key(change.seen_by, change.worker);
  if (change.is_there) {
    const auto found = losses_.find(key);
    if (found == losses_.end()) return;
    if (found->second.came_back == found->second.lost) return;
    ++found->second.came_back;
  } else {
    ++losses_[key].lost;
  }
  is_empty_ = false;
  if (changes_.size() < kMostChanges) changes_.push_back(std::move(change));
}

void GossipReader::take_end(const RecordLine& line) {
  is_empty_ = false;
  for_numbers(line.fields, "gradients", [&](size_t rank, double count) {
    if (rank >= workers_.size() || !std::isfinite(count)) return;
    double& known = workers_[rank].known_gradients;
    known = std::max(known, count);
  });
  members_.clear();
  for_numbers(line.fields, "members", [&](size_t, double rank) {
    if (!(rank >= 0 && rank < static_cast<double>(workers_.size()))) return;
    members_.push_back(static_cast<int>(rank));
  });
}

GossipWorker GossipReader::figures(const Worker& worker) {
  const auto total = [&](Count count) { return worker.counts[count].total(); };
  const double averagings = total(kAveragings);
  return {
      .gradients = std::max(total(kGradients), worker.known_gradients),
      .averagings = averagings,
      .rate = ratio(averagings, total(kGradients)),
      .staleness = ratio(total(kStaleness), averagings),
      .staleness_most = worker.staleness_most,
      .wait = ratio(total(kWait), averagings),
      .wait_most = worker.wait_most,
      .pair = ratio(total(kPair), averagings),
      .held_seconds = total(kHeld)};
}

Curves GossipReader::curves(const Timeline& timeline, int points) const {
  Curves curves = no_curves().at("gossip");
  if (points <= 0) return curves;
  std::vector<int64_t> steps;
  const Buckets reduced = counts_.reduced(points);
  for (const auto& bucket : reduced.buckets()) {
    const auto sum = [&](const std::string& key) {
      return bucket.cells[std::ranges::find(kKeys, key) - kKeys.begin()].sum;
    };
    steps.push_back(bucket.last_step);
    for (const record::Series& series : record::series_table("gossip").series) {
      curves.series[series.name].mean.push_back(
          ratio(sum(series.key), sum(series.per_count)));
    }
  }
  curves.axis = timeline.axis(std::move(steps));
  return curves;
}

std::optional<Gossip> GossipReader::finish(const spec::Spec& spec) const {
  if (is_empty_) return std::nullopt;
  Gossip gossip;
  gossip.asked_rate = spec.rate;
  gossip.has_clock = !is_virtual_ || spec::has_virtual_clock(spec);
  Worker all;
  for (const Worker& worker : workers_) {
    for (int i = 0; i < kCounts; ++i)
      all.counts[i].now += worker.counts[i].total();
    gossip.workers.push_back(figures(worker));
    all.known_gradients += gossip.workers.back().gradients;
    all.staleness_most = std::max(all.staleness_most, worker.staleness_most);
    all.wait_most = std::max(all.wait_most, worker.wait_most);
  }
  gossip.all = figures(all);
  // Neighbours may each have missed a part of it: the largest count is right.
  for (const auto& [pair, losses] : losses_) {
    GossipWorker& worker = gossip.workers[pair.second];
    worker.lost = std::max(worker.lost, losses.lost);
    worker.came_back = std::max(worker.came_back, losses.came_back);
  }
  for (const GossipWorker& worker : gossip.workers) {
    gossip.all.lost += worker.lost;
    gossip.all.came_back += worker.came_back;
  }
  gossip.members = members_;
  gossip.changes = changes_;
  gossip.slow_links = slow_links();
  say_gossip(gossip);
  return gossip;
}

} // namespace grapevine::report
