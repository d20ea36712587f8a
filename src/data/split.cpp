#include "data/split.h"

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"
#include "base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace grapevine::data {
namespace {

// Enough for Dirichlet(0.01) over hundreds of workers to be balanced to less
// than a sample in a thousand; what is left is moved.
constexpr int kBalancings = 200;

using Lists = std::vector<std::vector<int64_t>>;
using Counts = std::vector<std::vector<int64_t>>; // by class, worker

// The samples of each class, shuffled.
Lists samples_by_class(
    std::span<const int64_t> labels,
    int classes,
    uint64_t seed) {
  Lists lists(classes);
  for (size_t i = 0; i < labels.size(); ++i) {
    GV_CHECK(labels[i] >= 0 && labels[i] < classes);
    lists[labels[i]].push_back(static_cast<int64_t>(i));
  }
  for (int c = 0; c < classes; ++c) {
    Random(seed, Purpose::kSplit, 0, c).shuffle(std::span<int64_t>(lists[c]));
  }
  return lists;
}

std::vector<int64_t> begins_of(int64_t samples, int workers) {
  std::vector<int64_t> begins;
  for (int w = 0; w <= workers; ++w)
    begins.push_back(samples * w / workers);
  return begins;
}

int64_t size_of(const std::vector<int64_t>& begins, int worker) {
  return begins[worker + 1] - begins[worker];
}

// How many of each class each worker should get, in fractions; rows are
// classes, columns workers.
std::vector<std::vector<double>> balanced_shares(
    const Lists& samples,
    const std::vector<int64_t>& begins,
    const SplitOptions& options) {
  const int workers = static_cast<int>(begins.size()) - 1;
  std::vector<std::vector<double>> shares;
  for (size_t c = 0; c < samples.size(); ++c) {
    Random random(options.seed, Purpose::kSplit, 1, c);
    shares.push_back(draw_dirichlet(random, workers, options.alpha));
  }
  for (int round = 0; round < kBalancings; ++round) {
    for (int w = 0; w < workers; ++w) {
      double sum = 0;
      for (const auto& row : shares)
        sum += row[w];
      if (sum == 0) continue; // a worker without samples
      for (auto& row : shares)
        row[w] *= static_cast<double>(size_of(begins, w)) / sum;
    }
    for (size_t c = 0; c < shares.size(); ++c) {
      double sum = 0;
      for (const double share : shares[c])
        sum += share;
      if (sum == 0) continue; // a class without samples
      for (double& share : shares[c])
        share *= static_cast<double>(samples[c].size()) / sum;
    }
  }
  return shares;
}

// Rounded so that every class is dealt completely.
Counts rounded(
    const std::vector<std::vector<double>>& shares,
    const Lists& samples) {
  Counts counts;
  for (size_t c = 0; c < shares.size(); ++c) {
    const auto all = static_cast<int64_t>(samples[c].size());
    auto& row = counts.emplace_back(shares[c].size());
    double sum = 0;
    int64_t dealt = 0;
    for (size_t w = 0; w < row.size(); ++w) {
      sum += shares[c][w];
      const int64_t until =
          w + 1 == row.size()
              ? all
              : std::clamp<int64_t>(std::llround(sum), dealt, all);
      row[w] = until - dealt;
      dealt = until;
    }
  }
  return counts;
}

// From workers with too many samples, out of their largest class, to those
// with too few, until everybody has its number.
void even_out(Counts& counts, const std::vector<int64_t>& begins) {
  const int workers = static_cast<int>(begins.size()) - 1;
  std::vector<int64_t> missing(workers);
  for (int w = 0; w < workers; ++w) {
    missing[w] = size_of(begins, w);
    for (const auto& row : counts)
      missing[w] -= row[w];
  }
  int taker = 0;
  for (int giver = 0; giver < workers; ++giver) {
    while (missing[giver] < 0) {
      while (missing[taker] <= 0)
        ++taker;
      auto& row = *std::max_element(
          counts.begin(),
          counts.end(),
          [&](const auto& a, const auto& b) { return a[giver] < b[giver]; });
      const int64_t moved =
          std::min({-missing[giver], missing[taker], row[giver]});
      row[giver] -= moved;
      row[taker] += moved;
      missing[giver] += moved;
      missing[taker] -= moved;
    }
  }
}

// Worker by worker, class by class.
std::vector<int64_t> deal(const Lists& samples, const Counts& counts) {
  std::vector<size_t> next(samples.size());
  std::vector<int64_t> order;
  for (size_t w = 0; w < counts.front().size(); ++w) {
    for (size_t c = 0; c < samples.size(); ++c) {
      for (int64_t i = 0; i < counts[c][w]; ++i)
        order.push_back(samples[c][next[c]++]);
    }
  }
  return order;
}

} // namespace

int64_t Split::fewest() const {
  int64_t fewest = samples(0);
  for (int w = 1; w < workers(); ++w)
    fewest = std::min(fewest, samples(w));
  return fewest;
}

int64_t Split::most() const {
  int64_t most = 0;
  for (int w = 0; w < workers(); ++w)
    most = std::max(most, samples(w));
  return most;
}

std::string Split::digest() const {
  constexpr size_t kDigits = 16;
  Sha256 hash;
  hash.update(std::as_bytes(std::span(order)));
  hash.update(std::as_bytes(std::span(begins)));
  return hash.hex().substr(0, kDigits);
}

Split make_split(
    std::span<const int64_t> labels,
    int classes,
    int workers,
    const SplitOptions& options) {
  GV_CHECK_GE(classes, 1);
  GV_CHECK_GE(workers, 1);
  const Lists samples = samples_by_class(labels, classes, options.seed);
  Split split;
  split.begins = begins_of(static_cast<int64_t>(labels.size()), workers);
  if (options.kind == SplitKind::kClass) {
    for (const auto& list : samples)
      split.order.insert(split.order.end(), list.begin(), list.end());
    return split;
  }
  GV_CHECK(options.alpha > 0);
  Counts counts =
      rounded(balanced_shares(samples, split.begins, options), samples);
  even_out(counts, split.begins);
  split.order = deal(samples, counts);
  return split;
}

Split make_file_split(std::span<const int64_t> files, int workers) {
  GV_CHECK_GE(workers, 1);
  Lists lists;
  for (size_t i = 0; i < files.size(); ++i) {
    GV_CHECK_GE(files[i], 0);
    if (files[i] >= static_cast<int64_t>(lists.size()))
      lists.resize(files[i] + 1);
    lists[files[i]].push_back(static_cast<int64_t>(i));
  }
  std::erase_if(lists, [](const auto& list) { return list.empty(); });
  if (static_cast<int64_t>(lists.size()) < workers) {
    throw ConfigError(fmt::format(
        "split: the training samples lie in {} files (or folders), too few for "
        "{} workers to have one each",
        lists.size(),
        workers));
  }
  // Among files of one size, and workers of one number, the first one.
  std::ranges::stable_sort(lists, std::greater(), [](const auto& list) {
    return list.size();
  });
  Lists dealt(workers);
  for (const auto& list : lists) {
    auto& taker = *std::ranges::min_element(dealt, {}, [](const auto& mine) {
      return mine.size();
    });
    taker.insert(taker.end(), list.begin(), list.end());
  }
  Split split{.order = {}, .begins = {0}};
  for (const auto& mine : dealt) {
    split.order.insert(split.order.end(), mine.begin(), mine.end());
    split.begins.push_back(static_cast<int64_t>(split.order.size()));
  }
  return split;
}

namespace {

constexpr double kLeastShare = 1e-30;

// The logarithm of a Gamma(shape) number, shape >= 1 (Marsaglia, Tsang 2000).
double log_gamma_at_least_one(Random& random, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double v = 1 + c * x;
    if (v <= 0) continue;
    const double v3 = v * v * v;
    const double u = 1 - random.uniform(); // above 0
    if (std::log(u) < x * x / 2 + d - d * v3 + d * std::log(v3)) {
      return std::log(d * v3);
    }
  }
}

// Small shapes underflow, so all of it is in logarithms: Gamma(a) is
// Gamma(a + 1) U^(1/a).
double log_gamma(Random& random, double shape) {
  if (shape >= 1) return log_gamma_at_least_one(random, shape);
  const double boosted = log_gamma_at_least_one(random, shape + 1);
  return boosted + std::log(1 - random.uniform()) / shape;
}

} // namespace

std::vector<double> draw_dirichlet(Random& random, int count, double alpha) {
  std::vector<double> shares(count);
  for (double& share : shares)
    share = log_gamma(random, alpha);
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0;
  for (double& share : shares) {
    share = std::max(std::exp(share - largest), kLeastShare);
    sum += share;
  }
  for (double& share : shares)
    share /= sum;
  return shares;
}

} // namespace grapevine::data
