#include "data/split.h"

#include "base/error.h"
#include "base/random.h"
#include "data/sharder.h"
#include "data/source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

namespace grapevine::data {
namespace {

// Uneven classes in no order.
std::vector<int64_t> some_labels(int64_t samples, int classes) {
  Random random(1, Purpose::kTest);
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < samples; ++i) {
    const double u = random.uniform();
    labels.push_back(static_cast<int64_t>(u * std::sqrt(u) * classes));
  }
  return labels;
}

std::vector<std::vector<int64_t>>
histograms(const Split& split, std::span<const int64_t> labels, int classes) {
  std::vector<std::vector<int64_t>> result;
  for (int w = 0; w < split.workers(); ++w) {
    auto& counts = result.emplace_back(classes);
    for (int64_t i = split.begins[w]; i < split.begins[w + 1]; ++i)
      ++counts[labels[split.order[i]]];
  }
  return result;
}

void expect_partition(const Split& split, int64_t samples, int workers) {
  ASSERT_EQ(split.workers(), workers);
  std::vector<int64_t> sorted = split.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> all(samples);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  EXPECT_EQ(split.begins.front(), 0);
  EXPECT_EQ(split.begins.back(), samples);
  for (int w = 0; w < workers; ++w) {
    const int64_t size = split.begins[w + 1] - split.begins[w];
    EXPECT_GE(size, samples / workers);
    EXPECT_LE(size, samples / workers + 1);
  }
}

TEST(Split, DealsEverySampleOnceAndEvenly) {
  for (const int workers : {1, 2, 7, 16, 100}) {
    for (const int64_t samples : {100, 1000, 4096}) {
      for (const int classes : {1, 2, 10}) {
        const auto labels = some_labels(samples, classes);
        expect_partition(
            make_split(labels, classes, workers, {.kind = SplitKind::kClass}),
            samples,
            workers);
        for (const double alpha : {0.001, 0.1, 0.3, 1.0, 100.0}) {
          expect_partition(
              make_split(labels, classes, workers, {.alpha = alpha}),
              samples,
              workers);
        }
      }
    }
  }
}

TEST(Split, TakesMoreWorkersThanSamplesAndEmptyClasses) {
  const std::vector<int64_t> labels = {3, 3, 0};
  for (const SplitKind kind : {SplitKind::kClass, SplitKind::kDirichlet}) {
    const Split split = make_split(labels, 5, 7, {.kind = kind});
    EXPECT_EQ(split.order.size(), 3u);
    EXPECT_EQ(split.workers(), 7);
  }
}

TEST(Split, IsAFunctionOfSeedAndWorkers) {
  const auto labels = some_labels(1000, 10);
  for (const SplitKind kind : {SplitKind::kClass, SplitKind::kDirichlet}) {
    const auto digest = [&](int workers, uint64_t seed) {
      return make_split(labels, 10, workers, {.kind = kind, .seed = seed})
          .digest();
    };
    EXPECT_EQ(digest(8, 1), digest(8, 1));
    EXPECT_NE(digest(8, 1), digest(8, 2));
    EXPECT_NE(digest(8, 1), digest(9, 1));
  }
}

TEST(Split, ByClassGivesFewClassesToEach) {
  constexpr int kClasses = 10;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < 6000; ++i)
    labels.push_back(i % kClasses);
  const auto classes_of = [&](int workers) {
    const Split split =
        make_split(labels, kClasses, workers, {.kind = SplitKind::kClass});
    std::vector<int64_t> result;
    for (const auto& counts : histograms(split, labels, kClasses))
      result.push_back(kClasses - std::ranges::count(counts, 0));
    return result;
  };
  EXPECT_EQ(classes_of(10), std::vector<int64_t>(10, 1));
  EXPECT_EQ(classes_of(5), std::vector<int64_t>(5, 2));
  EXPECT_EQ(std::ranges::max(classes_of(16)), 2);
  EXPECT_EQ(std::ranges::max(classes_of(3)), 4);
}

// How far the workers' classes are from everybody's, from 0 (the same) to
// nearly 1: the mean total variation.
double distance_from_all(
    const Split& split,
    std::span<const int64_t> labels,
    int classes) {
  std::vector<double> all(classes);
  for (const int64_t label : labels)
    all[label] += 1.0 / static_cast<double>(labels.size());
  double sum = 0;
  for (const auto& counts : histograms(split, labels, classes)) {
    const auto total = static_cast<double>(
        std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    for (int c = 0; c < classes; ++c)
      sum += std::abs(static_cast<double>(counts[c]) / total - all[c]) / 2;
  }
  return sum / split.workers();
}

TEST(Split, AlphaLeadsFromOneClassEachToTheSameForAll) {
  const auto labels = some_labels(20000, 10);
  double before = 1;
  for (const double alpha : {0.05, 0.3, 1.0, 10.0, 1000.0}) {
    double mean = 0;
    for (const uint64_t seed : {1, 2, 3}) {
      const Split split =
          make_split(labels, 10, 16, {.alpha = alpha, .seed = seed});
      mean += distance_from_all(split, labels, 10) / 3;
    }
    EXPECT_LT(mean, before) << alpha;
    before = mean;
    if (alpha == 0.05) {
      EXPECT_GT(mean, 0.6);
    }
  }
  EXPECT_LT(before, 0.02);
}

// What a split is made of, whether a source knows its labels or gathers them.
TEST(Split, LabelsAreThoseOfTheSamples) {
  for (const int64_t chosen : {0, 700}) {
    const Dataset dataset = load_dataset(
        {.name = "synthetic",
         .train_samples = chosen,
         .seed = 3,
         .synthetic_samples = 2100});
    const Source& train = *dataset.train;
    std::vector<int64_t> all(train.size());
    std::iota(all.begin(), all.end(), 0);
    Batch batch;
    train.gather(all, batch);
    EXPECT_EQ(train.labels(), batch.labels) << chosen;
  }
}

TEST(Dirichlet, HasItsMeanAndVariance) {
  constexpr int kCount = 5;
  constexpr int kDraws = 20000;
  for (const double alpha : {0.1, 0.3, 1.0, 5.0}) {
    Random random(2, Purpose::kTest);
    double squares = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto shares = draw_dirichlet(random, kCount, alpha);
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
      for (const double share : shares)
        squares += (share - 0.2) * (share - 0.2) / (kCount * kDraws);
    }
    // Of each share: (1/k)(1 - 1/k) / (k alpha + 1).
    const double expected = 0.2 * 0.8 / (kCount * alpha + 1);
    EXPECT_NEAR(squares, expected, 0.03 * expected) << alpha;
  }
}

TEST(Dirichlet, SurvivesSmallAlphas) {
  Random random(3, Purpose::kTest);
  for (int draw = 0; draw < 1000; ++draw) {
    for (const double share : draw_dirichlet(random, 10, 1e-4)) {
      EXPECT_GT(share, 0);
      EXPECT_LE(share, 1);
    }
  }
}

// Sizes of files, samples in no order.
std::vector<int64_t> some_files(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> files;
  for (size_t file = 0; file < sizes.size(); ++file)
    files.insert(files.end(), sizes[file], static_cast<int64_t>(file));
  Random(2, Purpose::kTest).shuffle(std::span(files));
  return files;
}

TEST(Split, KeepsFilesTogether) {
  const auto files = some_files({10, 300, 20, 40, 0, 50, 200, 100});
  for (const int workers : {1, 2, 3, 7}) {
    const Split split = make_file_split(files, workers);
    ASSERT_EQ(split.workers(), workers);
    std::vector<int64_t> sorted = split.order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
      ASSERT_EQ(sorted[i], static_cast<int64_t>(i));
    ASSERT_EQ(sorted.size(), files.size());
    std::map<int64_t, std::set<int>> owners;
    for (int w = 0; w < workers; ++w) {
      EXPECT_GT(split.samples(w), 0);
      for (int64_t i = split.begins[w]; i < split.begins[w + 1]; ++i)
        owners[files[split.order[i]]].insert(w);
    }
    for (const auto& [file, those] : owners)
      EXPECT_EQ(those.size(), 1U) << file;
    EXPECT_LE(split.most() - split.fewest(), 300);
  }
}

TEST(Split, DealsTheLargestFilesFirst) {
  // 300; 200 + 40; 100 + 50 + 20 + 10 would be even worse the other way.
  const Split split =
      make_file_split(some_files({10, 300, 20, 40, 50, 200, 100}), 2);
  EXPECT_EQ(split.samples(0), 360); // 300 + 50 + 10
  EXPECT_EQ(split.samples(1), 360); // 200 + 100 + 40 + 20
  EXPECT_EQ(split.fewest(), 360);
}

TEST(Split, NeedsAFileForEveryWorker) {
  const auto files = some_files({5, 5, 5});
  EXPECT_EQ(make_file_split(files, 3).most(), 5);
  EXPECT_THROW(make_file_split(files, 4), ConfigError);
}

// The worker with fewest samples says how many steps there are; nothing is
// used twice in an epoch.
TEST(Split, ByFileEverySampleAtMostOnceAnEpoch) {
  const auto files = some_files({30, 20, 11});
  const auto split = std::make_shared<Split>(make_file_split(files, 3));
  const ShuffledSharder sharder(
      61,
      {.workers = 3, .batch = 5, .seed = 1, .split = split});
  ASSERT_EQ(sharder.steps_per_epoch(), 2);
  std::set<int64_t> ever;
  for (int64_t epoch = 0; epoch < 40; ++epoch) {
    std::set<int64_t> used;
    for (int64_t step = 0; step < 2; ++step) {
      EXPECT_EQ(sharder.samples_in_step(epoch, step), 15);
      for (int worker = 0; worker < 3; ++worker) {
        for (const int64_t sample : sharder.indices(epoch, step, worker)) {
          EXPECT_TRUE(used.insert(sample).second);
          EXPECT_EQ(files[sample], worker);
        }
      }
    }
    EXPECT_EQ(used.size(), 30U);
    ever.merge(used);
  }
  EXPECT_EQ(ever.size(), 61U); // what is left out differs
  EXPECT_THROW(
      ShuffledSharder(61, {.workers = 3, .batch = 12, .split = split}),
      ConfigError);
}

} // namespace
} // namespace grapevine::data
