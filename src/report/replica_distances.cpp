#include "report/replica_distances.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

// About 64 MB of sketches; long runs of many workers keep every other, and so
// on.
constexpr size_t kMostShots = size_t{1} << 16;
constexpr int64_t kLargestStride = int64_t{1} << 40;
// Longer lists are damaged.
constexpr size_t kMostNumbers = 1024;

double squared_distance(
    const std::vector<double>& a,
    const std::vector<double>& b) {
  double sum = 0;
  for (size_t e = 0; e < a.size(); ++e)
    sum += (a[e] - b[e]) * (a[e] - b[e]);
  return sum;
}

double consensus_distance(const std::vector<std::vector<double>>& sketches) {
  const auto count = static_cast<double>(sketches.size());
  std::vector<double> mean(sketches.front().size());
  for (const auto& sketch : sketches) {
    for (size_t e = 0; e < mean.size(); ++e)
      mean[e] += sketch[e] / count;
  }
  double sum = 0;
  for (const auto& sketch : sketches)
    sum += squared_distance(sketch, mean);
  return sum / count;
}

} // namespace

ReplicaDistances::ReplicaDistances(int n, int64_t probe_every)
    : probe_every_(std::max<int64_t>(probe_every, 1)),
      workers_(n) {}

bool ReplicaDistances::is_sketch(
    int worker,
    double rounds,
    const std::vector<double>& numbers) {
  if (worker < 0 || worker >= std::ssize(workers_)) return false;
  if (numbers.empty() || numbers.size() > kMostNumbers) return false;
  if (!(rounds >= 0)) return false;
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!std::ranges::all_of(numbers, is_finite)) return false;
  if (length_ == 0) length_ = numbers.size();
  return numbers.size() == length_;
}

bool ReplicaDistances::is_enough(size_t workers) const {
  return workers >= 2 && 2 * workers >= workers_.size();
}

void ReplicaDistances::add(
    int worker,
    double rounds,
    std::vector<double> sketch) {
  if (!is_sketch(worker, rounds, sketch)) return;
  const auto index = static_cast<int64_t>(rounds) / probe_every_;
  if (index % stride_ != 0) return;
  Shots& shots = workers_[worker];
  if (kept_ >= kMostShots && !shots.contains(index)) {
    thin_out();
    if (kept_ >= kMostShots || index % stride_ != 0) return;
  }
  // The last is of the worker's last life.
  const bool is_new =
      shots.insert_or_assign(index, Shot{rounds, std::move(sketch)}).second;
  if (is_new) ++kept_;
}

void ReplicaDistances::add_last(
    int worker,
    double rounds,
    std::vector<double> sketch) {
  if (!is_sketch(worker, rounds, sketch)) return;
  last_.insert_or_assign(worker, Shot{rounds, std::move(sketch)});
}

void ReplicaDistances::thin_out() {
  if (stride_ > kLargestStride) return;
  stride_ *= 2;
  for (Shots& shots : workers_) {
    kept_ -= std::erase_if(shots, [&](const auto& entry) {
      return entry.first % stride_ != 0;
    });
  }
}

std::vector<double> ReplicaDistances::follow(
    const Shots& shots,
    Shots::const_iterator from,
    double rounds) {
  const Shot& shot = from->second;
  const bool is_later = rounds >= shot.rounds;
  if (!is_later && from == shots.begin()) return shot.sketch;
  const auto to = is_later ? std::next(from) : std::prev(from);
  if (to == shots.end() || to->second.rounds == shot.rounds) return shot.sketch;
  const double share =
      (rounds - shot.rounds) / (to->second.rounds - shot.rounds);
  std::vector<double> there = shot.sketch;
  for (size_t e = 0; e < there.size(); ++e)
    there[e] += share * (to->second.sketch[e] - there[e]);
  return there;
}

std::vector<ReplicaDistances::Point> ReplicaDistances::points() const {
  std::map<int64_t, std::vector<int>> takers;
  for (size_t worker = 0; worker < workers_.size(); ++worker) {
    for (const auto& [index, shot] : workers_[worker])
      takers[index].push_back(static_cast<int>(worker));
  }
  std::vector<Point> points;
  for (const auto& [index, ranks] : takers) {
    if (!is_enough(ranks.size())) continue;
    double rounds = 0;
    for (const int rank : ranks)
      rounds += workers_[rank].at(index).rounds;
    rounds /= static_cast<double>(ranks.size());
    std::vector<std::vector<double>> sketches;
    for (const int rank : ranks) {
      const Shots& shots = workers_[rank];
      sketches.push_back(follow(shots, shots.find(index), rounds));
    }
    points.push_back(
        {.round = static_cast<int64_t>(rounds),
         .distance = consensus_distance(sketches)});
  }
  if (is_enough(last_.size())) points.push_back(last_point());
  return points;
}

ReplicaDistances::Point ReplicaDistances::last_point() const {
  double rounds = 0;
  std::vector<std::vector<double>> sketches;
  for (const auto& [worker, shot] : last_) {
    rounds = std::max(rounds, shot.rounds); // what the best informed knew
    sketches.push_back(shot.sketch);
  }
  return {
      .round = static_cast<int64_t>(rounds),
      .distance = consensus_distance(sketches)};
}

} // namespace grapevine::report
