#include "sim/costs.h"

#include "base/check.h"
#include "base/error.h"
#include "net/wraps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::sim {
namespace {

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

bool is_rate(double rate) {
  return rate > 0; // infinity is one, nan is none
}

void check_sample(const ComputeSample& sample, size_t buckets, size_t worker) {
  if (sample.backward.size() != buckets) {
    throw ConfigError(fmt::format(
        "worker {} has a step with {} times of backward for {} buckets",
        worker,
        sample.backward.size(),
        buckets));
  }
  bool fine = is_time(sample.forward);
  for (const double seconds : sample.backward)
    fine = fine && is_time(seconds);
  if (!fine) {
    throw ConfigError(
        fmt::format("worker {} has a time that is negative", worker));
  }
}

void check_compute(const Compute& compute) {
  if (compute.bucket_bytes.empty()) throw ConfigError("there is no bucket");
  for (const int64_t bytes : compute.bucket_bytes) {
    if (bytes <= 0) throw ConfigError("a bucket has no bytes");
  }
  if (compute.workers.empty()) throw ConfigError("no worker was measured");
  for (size_t w = 0; w < compute.workers.size(); ++w) {
    if (compute.workers[w].empty()) {
      throw ConfigError(fmt::format("worker {} has no step", w));
    }
    for (const ComputeSample& sample : compute.workers[w])
      check_sample(sample, compute.bucket_bytes.size(), w);
  }
  if (!is_time(compute.update_seconds_per_byte)) {
    throw ConfigError("the update takes a time that is negative");
  }
}

void check_level(const std::optional<Level>& level, const char* name) {
  if (!level) return;
  if (is_time(level->latency) && is_rate(level->bandwidth) &&
      is_rate(level->shared)) {
    return;
  }
  throw ConfigError(fmt::format(
      "{}: a latency is at least 0 and a rate above 0, got {} s, {} and {} B/s",
      name,
      level->latency,
      level->bandwidth,
      level->shared));
}

} // namespace

double ComputeSample::total() const {
  return std::accumulate(backward.begin(), backward.end(), forward);
}

int64_t Compute::model_bytes() const {
  return std::accumulate(bucket_bytes.begin(), bucket_bytes.end(), int64_t{0});
}

ComputeSample Compute::mean(int worker) const {
  const auto& steps = workers.at(worker % workers.size());
  ComputeSample mean;
  mean.backward.resize(bucket_bytes.size());
  const double share = 1.0 / static_cast<double>(steps.size());
  for (const ComputeSample& step : steps) {
    mean.forward += share * step.forward;
    for (size_t b = 0; b < mean.backward.size(); ++b)
      mean.backward[b] += share * step.backward[b];
  }
  return mean;
}

double Compute::mean_seconds() const {
  double seconds = 0;
  for (size_t w = 0; w < workers.size(); ++w)
    seconds += mean(static_cast<int>(w)).total();
  return seconds / static_cast<double>(workers.size());
}

void check(const Costs& costs) {
  check_compute(costs.compute);
  check_level(costs.inside, "inside a node");
  check_level(costs.between, "between nodes");
  if (costs.nodes < 1 || costs.workers_per_node < 1) {
    throw ConfigError("there is at least one node with one worker");
  }
  for (const NodeRate& node : costs.node_rates) {
    if (node.node >= 0 && is_rate(node.shared)) continue;
    throw ConfigError(fmt::format("node {} has no rate", node.node));
  }
  for (const LinkRate& link : costs.link_rates) {
    const bool is_pair = link.a >= 0 && link.b >= 0 && link.a != link.b;
    if (is_pair && is_time(link.latency) && is_rate(link.bandwidth)) continue;
    throw ConfigError(
        fmt::format("the link {}-{} is none or has no rate", link.a, link.b));
  }
}

Compute with_buckets(const Compute& compute, int64_t bytes) {
  GV_CHECK(bytes > 0);
  Compute cut = compute;
  cut.bucket_bytes.clear();
  // last[j]: the old bucket that holds the last byte of new bucket j.
  std::vector<size_t> last;
  int64_t room = 0;
  for (size_t b = 0; b < compute.bucket_bytes.size(); ++b) {
    for (int64_t left = compute.bucket_bytes[b]; left > 0;) {
      if (room == 0) {
        cut.bucket_bytes.push_back(0);
        last.push_back(b);
        room = bytes;
      }
      const int64_t part = std::min(left, room);
      cut.bucket_bytes.back() += part;
      last.back() = b;
      room -= part;
      left -= part;
    }
  }
  for (auto& steps : cut.workers) {
    for (ComputeSample& step : steps) {
      const std::vector<double> old = std::move(step.backward);
      step.backward.assign(last.size(), 0);
      size_t b = 0;
      for (size_t j = 0; j < last.size(); ++j) {
        for (; b <= last[j]; ++b)
          step.backward[j] += old.at(b);
      }
    }
  }
  return cut;
}

Costs with_link(Costs costs, const LinkOptions& link) {
  const double rate = link.bytes_per_second * kPayloadShare;
  const double software = costs.inside ? costs.inside->latency : 0;
  costs.between = Level{
      .latency = software + link.delay_seconds,
      .bandwidth = rate,
      .shared = rate};
  costs.node_rates.clear();
  costs.link_rates.clear();
  for (const PairLink& pair : link.pairs) {
    costs.link_rates.push_back(
        {.a = pair.a,
         .b = pair.b,
         .latency = software + pair.limits.delay_seconds,
         .bandwidth = pair.limits.bytes_per_second * kPayloadShare});
  }
  return costs;
}

Costs with_faster_links(
    Costs costs,
    std::optional<Level> Costs::*level,
    double factor) {
  if (costs.*level) {
    (costs.*level)->bandwidth *= factor;
    (costs.*level)->shared *= factor;
  }
  for (NodeRate& node : costs.node_rates)
    node.shared *= factor;
  for (LinkRate& link : costs.link_rates)
    link.bandwidth *= factor;
  return costs;
}

Costs with_packing(Costs costs) {
  const bool is_packed =
      std::ranges::any_of(costs.compute.bucket_bytes, [](int64_t bytes) {
        return bytes >= static_cast<int64_t>(net::kLeastPacked);
      });
  if (!is_packed) return costs;
  return with_faster_links(
      std::move(costs),
      &Costs::between,
      1 / net::kTypicallyPacked);
}

std::vector<int64_t> even_buckets(int64_t bytes, int64_t bucket) {
  std::vector<int64_t> buckets(bytes / bucket, bucket);
  if (bytes % bucket > 0) buckets.push_back(bytes % bucket);
  return buckets;
}

Compute uniform_compute(
    double forward_seconds,
    double backward_seconds,
    double update_seconds,
    std::vector<int64_t> bucket_bytes) {
  Compute compute;
  compute.bucket_bytes = std::move(bucket_bytes);
  const auto bytes = static_cast<double>(compute.model_bytes());
  GV_CHECK(bytes > 0);
  ComputeSample sample{.forward = forward_seconds, .backward = {}};
  for (const int64_t part : compute.bucket_bytes) {
    sample.backward.push_back(
        backward_seconds * static_cast<double>(part) / bytes);
  }
  compute.workers = {{std::move(sample)}};
  compute.update_seconds_per_byte = update_seconds / bytes;
  return compute;
}

} // namespace grapevine::sim
