// The table of data sets: a new one is its own file and one entry here.
#include "base/error.h"
#include "base/names.h"
#include "data/sets/sets.h"
#include "data/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grapevine::data {
namespace {

struct Kind {
  DataEntry entry;
  // Null: made by make_synthetic(), not read.
  FileSet (*files)(const DataOptions& options) = nullptr;
  Dataset (*load)(const std::string& folder, const DataOptions& options) =
      nullptr;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {{.name = "fashion-mnist",
        .summary = "grey images of clothes, 28 x 28",
        .sample_shape = {1, 28, 28},
        .classes = 10,
        .train_samples = 60000,
        .test_samples = 10000,
        .how_to_get = "`apt-get install dataset-fashion-mnist` or "
                      "`grapevine data get fashion-mnist`",
        .augments = true},
       fashion_mnist_files,
       load_fashion_mnist},
      {{.name = "cifar10",
        .summary = "colour images of animals and vehicles, 32 x 32",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .train_samples = 50000,
        .test_samples = 10000,
        .how_to_get = "`grapevine data get cifar10`",
        .augments = true},
       cifar10_files,
       load_cifar10},
      {{.name = "imagenet",
        .summary = "photographs in folders train/CLASS and val/CLASS",
        .sample_shape = {3, 224, 224},
        .classes = 1000,
        .train_samples = 1281167,
        .test_samples = 50000,
        .how_to_get =
            "unpacking ILSVRC2012's images (https://image-net.org, an account "
            "is needed), a folder a class, into train/ and val/ of a folder "
            "that --data-dir names"},
       imagenet_files,
       load_imagenet},
      // The numbers are tiny-shakespeare's.
      {{.name = "text",
        .summary = "a text file, by bytes or byte pairs; windows of `context`",
        .sample_shape = {64},
        .classes = 65,
        .train_samples = 15685,
        .test_samples = 1742,
        .how_to_get = "`grapevine data get text` (tiny-shakespeare), or give a "
                      "folder with a .txt file as --data-dir"},
       text_files,
       load_text},
      {{.name = "wikitext2",
        .summary = "WikiText-2, word by word; windows of `context`",
        .sample_shape = {64},
        .classes = 33278,
        .train_samples = 32634,
        .test_samples = 3837,
        .how_to_get = "downloading WikiText-2 and giving its folder, with "
                      "wiki.{train,valid,test}.tokens in it, as --data-dir"},
       wikitext2_files,
       load_wikitext2},
      // The numbers are Multi30k's, with 8,192 byte pairs.
      {{.name = "parallel-text",
        .summary = "sentence pairs in byte pairs: Multi30k, or one's own",
        .sample_shape = {202},
        .classes = 8195,
        .train_samples = 29000,
        .test_samples = 1000,
        .how_to_get = "downloading Multi30k, or giving a folder with "
                      "{train,test}.{en,de} as --data-dir"},
       parallel_text_files,
       load_parallel_text},
      {{.name = "synthetic",
        .summary = "seeded Gaussian clusters; nothing to download",
        .sample_shape = {1, 28, 28},
        .classes = 10,
        .train_samples = 4096,
        .test_samples = 1024,
        .how_to_get = ""}}};
  return table;
}

const Kind& kind(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& known : kinds()) {
    if (known.entry.name == name) return known;
    names.push_back(known.entry.name);
  }
  throw ConfigError(unknown_name("data set", name, names));
}

void check_augmentation(const DataEntry& entry, const DataOptions& options) {
  augmentation(options.augment, options.cutout); // a known word
  if (options.augment == "none" || entry.augments) return;
  std::vector<std::string> names;
  for (const auto& known : kinds()) {
    if (known.entry.augments) names.push_back(known.entry.name);
  }
  throw ConfigError(fmt::format(
      "augment: {} is for sets of small images ({}), not for {}; expected none",
      options.augment,
      fmt::join(names, ", "),
      entry.name));
}

Dataset load_whole(const DataOptions& options) {
  const Kind& known = kind(options.name);
  check_augmentation(known.entry, options);
  if (known.files == nullptr) return make_synthetic(options);
  try {
    return known.load(require_folder(known.files(options), options), options);
  } catch (const IoError& error) {
    throw IoError(fmt::format(
        "{}: {}; get it by {}",
        known.entry.name,
        error.what(),
        known.entry.how_to_get));
  }
}

} // namespace

const std::vector<DataEntry>& data_table() {
  static const std::vector<DataEntry> table = [] {
    std::vector<DataEntry> entries;
    for (const auto& known : kinds())
      entries.push_back(known.entry);
    return entries;
  }();
  return table;
}

const DataEntry& data_entry(const std::string& name) {
  return kind(name).entry;
}

Dataset load_dataset(const DataOptions& options) {
  Dataset dataset = load_whole(options);
  if (options.train_samples > 0) {
    dataset.train =
        make_subset(dataset.train, options.train_samples, "train-samples");
  }
  if (options.test_samples > 0) {
    dataset.test =
        make_subset(dataset.test, options.test_samples, "test-samples");
  }
  return dataset;
}

std::optional<std::string> locate_dataset(const DataOptions& options) {
  const Kind& known = kind(options.name);
  if (known.files == nullptr) return std::nullopt;
  return find_folder(known.files(options), options);
}

} // namespace grapevine::data
