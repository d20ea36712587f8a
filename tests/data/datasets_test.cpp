#include "base/error.h"
#include "data/locate.h"
#include "data/sets/sets.h"
#include "data/source.h"
#include "data/temporary_folder.h"
#include "data/test_data.h"

#include <cmath>
#include <numeric>

namespace grapevine::data {
namespace {

TEST(Subset, IsTheSameForEverySeedAndPartOfTheWhole) {
  DataOptions options{.name = "synthetic", .seed = 4, .synthetic_samples = 100};
  const auto whole = load_dataset(options).train;
  options.train_samples = 30;
  const auto part = load_dataset(options).train;
  const auto again = load_dataset(options).train;
  ASSERT_EQ(part->size(), 30);
  EXPECT_EQ(part->sample_shape(), whole->sample_shape());
  EXPECT_EQ(part->classes(), whole->classes());
  const auto sample = [](const Source& source, int64_t index) {
    Batch batch;
    source.gather(std::vector<int64_t>{index}, batch);
    return batch.inputs;
  };
  std::set<std::vector<float>> all;
  for (int64_t i = 0; i < whole->size(); ++i)
    all.insert(sample(*whole, i));
  std::set<std::vector<float>> chosen;
  for (int64_t i = 0; i < part->size(); ++i) {
    EXPECT_EQ(sample(*part, i), sample(*again, i));
    EXPECT_TRUE(all.count(sample(*part, i)));
    chosen.insert(sample(*part, i));
  }
  EXPECT_EQ(chosen.size(), 30U);
  EXPECT_NE(sample(*part, 0), sample(*whole, 0));
}

TEST(Subset, OfMoreThanThereAreIsRefused) {
  EXPECT_THROW(
      load_dataset(
          {.name = "synthetic",
           .train_samples = 101,
           .synthetic_samples = 100}),
      ConfigError);
}

#define SKIP_WITHOUT(name)                                                     \
  if (!locate_dataset(test_data(name))) {                                      \
    GTEST_SKIP() << name                                                       \
                 << " is not on this machine: " << data_entry(name).how_to_get \
                 << ", or set GRAPEVINE_DATA";                                 \
  }

std::vector<int64_t> range(int64_t begin, int64_t end) {
  std::vector<int64_t> samples(end - begin);
  std::iota(samples.begin(), samples.end(), begin);
  return samples;
}

std::vector<int64_t> class_counts(const Source& source) {
  std::vector<int64_t> counts(source.classes());
  for (int64_t at = 0; at < source.size(); at += 1000) {
    const auto part =
        gather(source, range(at, std::min(at + 1000, source.size())));
    for (const auto label : part.labels)
      ++counts.at(label);
  }
  return counts;
}

// Mean and sd of each channel over all samples.
void expect_normalised(const Source& source) {
  const auto shape = source.sample_shape();
  const int64_t plane = shape[1] * shape[2];
  std::vector<double> sums(shape[0]);
  std::vector<double> squares(shape[0]);
  for (int64_t at = 0; at < source.size(); at += 1000) {
    const auto part = gather(source, range(at, at + 1000)).inputs;
    for (size_t i = 0; i < part.size(); ++i) {
      const auto channel = i / plane % shape[0];
      sums[channel] += part[i];
      squares[channel] += double{part[i]} * part[i];
    }
  }
  const auto count = static_cast<double>(source.size() * plane);
  for (int64_t c = 0; c < shape[0]; ++c) {
    EXPECT_NEAR(sums[c] / count, 0, 1e-5);
    EXPECT_NEAR(std::sqrt(squares[c] / count), 1, 1e-5);
  }
}

using Labels = std::vector<int64_t>;

TEST(FashionMnist, IsThePublishedSet) {
  SKIP_WITHOUT("fashion-mnist");
  const auto set = load_dataset(test_data("fashion-mnist"));
  EXPECT_EQ(set.name, "fashion-mnist");
  EXPECT_EQ(set.train->size(), 60000);
  EXPECT_EQ(set.test->size(), 10000);
  EXPECT_EQ(set.train->sample_shape(), (Labels{1, 28, 28}));
  EXPECT_EQ(set.train->sample_elements(), 784);
  EXPECT_EQ(set.train->classes(), 10);
  EXPECT_EQ(
      gather(*set.train, range(0, 10)).labels,
      (Labels{9, 0, 0, 3, 0, 2, 7, 2, 5, 5}));
  EXPECT_EQ(
      gather(*set.test, range(0, 10)).labels,
      (Labels{9, 2, 1, 1, 6, 1, 4, 6, 5, 7}));
  EXPECT_EQ(class_counts(*set.train), Labels(10, 6000));
  EXPECT_EQ(class_counts(*set.test), Labels(10, 1000));
  expect_normalised(*set.train);
  // The corner of the first image is black.
  EXPECT_EQ(
      gather(*set.train, {0}).inputs[0],
      static_cast<float>(-0.2860405969887955 / 0.3530242445149226));
}

TEST(Cifar10, IsThePublishedSet) {
  SKIP_WITHOUT("cifar10");
  const auto set = load_dataset(test_data("cifar10"));
  EXPECT_EQ(set.train->size(), 50000);
  EXPECT_EQ(set.test->size(), 10000);
  EXPECT_EQ(set.train->sample_shape(), (Labels{3, 32, 32}));
  EXPECT_EQ(set.train->classes(), 10);
  EXPECT_EQ(
      gather(*set.train, range(0, 10)).labels,
      (Labels{6, 9, 9, 4, 1, 1, 2, 7, 8, 3}));
  EXPECT_EQ(
      gather(*set.test, range(0, 10)).labels,
      (Labels{3, 8, 8, 0, 6, 6, 1, 6, 3, 1}));
  EXPECT_EQ(class_counts(*set.train), Labels(10, 5000));
  EXPECT_EQ(class_counts(*set.test), Labels(10, 1000));
  expect_normalised(*set.train);
  EXPECT_FLOAT_EQ(
      gather(*set.test, {0}).inputs[0],
      static_cast<float>(
          (158 / 255.0 - 0.49139967861519607) / 0.24703223246328201));
}

std::string cifar_record(int label, char red, char green, char blue) {
  return std::string(1, static_cast<char>(label)) + std::string(1024, red) +
         std::string(1024, green) + std::string(1024, blue);
}

TEST(Cifar10, ReadsRecordsInOrder) {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {
      folder.write("a", cifar_record(1, 0, 1, 2) + cifar_record(2, 3, 4, 5)),
      folder.write("b", cifar_record(9, 6, 7, 8) + cifar_record(0, 9, 0, 1))};
  const auto source = read_cifar10(paths, 2);
  EXPECT_EQ(source->size(), 4);
  const auto all = gather(*source, {3, 2, 1, 0});
  EXPECT_EQ(all.labels, (Labels{0, 9, 2, 1}));
  EXPECT_EQ(source->files(), (Labels{0, 0, 1, 1}));
  const auto green_of_third = all.inputs[3072 + 1024];
  EXPECT_FLOAT_EQ(
      green_of_third,
      static_cast<float>(
          (7 / 255.0 - 0.48215840839460783) / 0.24348512800005553));
}

TEST(Cifar10, RefusesBrokenFiles) {
  const TemporaryFolder folder;
  const auto good = cifar_record(3, 0, 0, 0);
  const auto error = [&](const std::string& bytes) {
    const std::vector<std::string> paths = {folder.write("f.bin", bytes)};
    const auto message = message_of<IoError>([&] { read_cifar10(paths, 1); });
    EXPECT_SAYS(message, paths[0]);
    return message;
  };
  EXPECT_SAYS(
      error(good.substr(1)),
      "expected 3073 bytes (1 records of 3073), found 3072");
  EXPECT_SAYS(error(good + "x"), "found 3074");
  EXPECT_SAYS(error(""), "found 0");
  EXPECT_SAYS(
      error(cifar_record(10, 0, 0, 0)),
      "expected labels below 10, found 10 at record 0");
}

TEST(Cifar10, MissingFileOfAnIncompleteSet) {
  const TemporaryFolder folder;
  folder.write("cifar-10-batches-bin/data_batch_2.bin", "");
  const auto message = message_of<IoError>(
      [&] { load_dataset({.name = "cifar10", .directory = folder.path()}); });
  EXPECT_SAYS(message, "cifar-10-batches-bin/data_batch_1.bin: cannot open");
  EXPECT_SAYS(message, "`grapevine data get cifar10`");
}

TEST(Datasets, UnknownName) {
  const auto message =
      message_of<ConfigError>([] { load_dataset({.name = "fashion-mnits"}); });
  EXPECT_SAYS(message, "'fashion-mnist'");
  EXPECT_SAYS(message, "synthetic");
}

TEST(Datasets, DirectoryThatIsNone) {
  const auto message = message_of<ConfigError>([] {
    load_dataset({.name = "cifar10", .directory = "/nonexistent/folder"});
  });
  EXPECT_SAYS(message, "'/nonexistent/folder' is not a directory");
}

TEST(Datasets, NothingFoundNamesEveryPlaceAndTheRemedy) {
  const TemporaryFolder folder;
  const DataOptions options{
      .name = "fashion-mnist",
      .search_path = {folder / "a", folder / "b"}};
  EXPECT_FALSE(locate_dataset(options));
  const auto message = message_of<IoError>([&] { load_dataset(options); });
  EXPECT_SAYS(message, "train-images-idx3-ubyte.gz");
  EXPECT_SAYS(message, folder / "a/fashion-mnist");
  EXPECT_SAYS(message, folder / "b");
  EXPECT_SAYS(message, "`apt-get install dataset-fashion-mnist`");
  EXPECT_SAYS(message, "`grapevine data get fashion-mnist`");
}

TEST(Datasets, SearchOrder) {
  const TemporaryFolder folder;
  const DataOptions options{
      .name = "cifar10",
      .search_path = {folder / "a", folder / "b"}};
  const auto found_after = [&](const std::string& file) {
    folder.write(file, "");
    return locate_dataset(options).value();
  };
  EXPECT_EQ(found_after("b/test_batch.bin"), folder / "b");
  EXPECT_EQ(found_after("b/cifar10/test_batch.bin"), folder / "b/cifar10");
  EXPECT_EQ(
      found_after("a/cifar-10-batches-bin/test_batch.bin"),
      folder / "a/cifar-10-batches-bin");
  EXPECT_EQ(found_after("a/test_batch.bin"), folder / "a");
  EXPECT_EQ(found_after("a/cifar10/data_batch_3.bin"), folder / "a/cifar10");
}

TEST(Datasets, DirectoryOverridesTheSearch) {
  const TemporaryFolder folder;
  folder.write("a/test_batch.bin", "");
  folder.write("b/test_batch.bin", "");
  EXPECT_EQ(
      locate_dataset(
          {.name = "cifar10",
           .directory = folder / "b",
           .search_path = {folder / "a"}}),
      folder / "b");
}

// An environment variable for the length of a test; null unsets it.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(before_ ? before_->c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(Datasets, DefaultPathFollowsTheEnvironment) {
  using Places = std::vector<std::string>;
  const ScopedVariable home("HOME", "/x/home");
  const ScopedVariable data("GRAPEVINE_DATA", "/x/data");
  {
    const ScopedVariable cache("XDG_CACHE_HOME", "/x/cache");
    EXPECT_EQ(default_data_cache(), "/x/cache/grapevine");
  }
  const ScopedVariable no_cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(
      default_data_path(),
      (Places{"/x/data", "/x/home/.cache/grapevine", "/usr/share/datasets"}));
  const ScopedVariable no_home("HOME", nullptr);
  const ScopedVariable no_data("GRAPEVINE_DATA", nullptr);
  EXPECT_EQ(default_data_cache(), "");
  EXPECT_EQ(default_data_path(), Places{"/usr/share/datasets"});
}

TEST(Synthetic, ShapesAndBalance) {
  const auto set = load_dataset({.name = "synthetic", .seed = 1});
  EXPECT_EQ(set.train->size(), 4096);
  EXPECT_EQ(set.test->size(), 1024);
  EXPECT_EQ(set.train->sample_shape(), (Labels{1, 28, 28}));
  EXPECT_EQ(set.train->classes(), 10);
  for (const auto count : class_counts(*set.train))
    EXPECT_NEAR(count, 410, 1);
  const auto& entry = data_entry("synthetic");
  EXPECT_EQ(entry.train_samples, set.train->size());
  EXPECT_EQ(entry.test_samples, set.test->size());
}

TEST(Synthetic, IsItsSeed) {
  const auto samples = range(0, 16);
  const auto first = load_dataset({.name = "synthetic", .seed = 1});
  const auto again =
      load_dataset({.name = "synthetic", .seed = 1, .synthetic_samples = 64});
  const auto other = load_dataset({.name = "synthetic", .seed = 2});
  EXPECT_EQ(
      gather(*first.train, samples).inputs,
      gather(*again.train, samples).inputs);
  EXPECT_NE(
      gather(*first.train, samples).inputs,
      gather(*other.train, samples).inputs);
  EXPECT_NE(
      gather(*first.train, samples).inputs,
      gather(*first.test, samples).inputs);
}

// Class means of the training set classify the test set: the clusters can be
// learnt, and what is learnt carries over.
TEST(Synthetic, ClustersCarryOverToTheTestSet) {
  const auto set = load_dataset(
      {.name = "synthetic",
       .seed = 3,
       .synthetic_samples = 1024,
       .synthetic_shape = {3, 8, 8},
       .synthetic_classes = 4});
  const int64_t elements = set.train->sample_elements();
  EXPECT_EQ(elements, 192);
  const auto train = gather(*set.train, range(0, 1024));
  std::vector<std::vector<double>> means(4, std::vector<double>(elements));
  for (int64_t i = 0; i < 1024; ++i) {
    for (int64_t e = 0; e < elements; ++e) {
      means[train.labels[i]][e] += train.inputs[i * elements + e] / 256.0;
    }
  }
  const auto test = gather(*set.test, range(0, 256));
  int right = 0;
  for (int64_t i = 0; i < 256; ++i) {
    std::vector<double> distances(4);
    for (int c = 0; c < 4; ++c) {
      for (int64_t e = 0; e < elements; ++e) {
        const double gap = test.inputs[i * elements + e] - means[c][e];
        distances[c] += gap * gap;
      }
    }
    const auto nearest = std::min_element(distances.begin(), distances.end());
    right += nearest - distances.begin() == test.labels[i];
  }
  EXPECT_GT(right, 230);
  EXPECT_LT(right, 256); // not a matter of course either
}

TEST(Synthetic, RefusesImpossibleSizes) {
  const auto refuse = [](DataOptions options) {
    options.name = "synthetic";
    EXPECT_THROW(load_dataset(options), ConfigError);
  };
  refuse({.synthetic_samples = 3});
  refuse({.synthetic_samples = -1});
  refuse({.synthetic_samples = int64_t{1} << 40});
  refuse({.synthetic_shape = {}});
  refuse({.synthetic_shape = {1, 0, 28}});
  refuse({.synthetic_shape = {int64_t{1} << 40, int64_t{1} << 40}});
  refuse({.synthetic_classes = 1});
}

} // namespace
} // namespace grapevine::data
