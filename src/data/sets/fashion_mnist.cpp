// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017): 60,000 + 10,000 grey images of
// 28 x 28 in 10 classes, as four idx files, gzipped or not.
#include "data/sets/sets.h"

#include "data/idx.h"
#include "data/image_source.h"

#include <filesystem>

namespace grapevine::data {
namespace {

constexpr int kFashionClasses = 10;
constexpr int64_t kFashionSide = 28;
// Of all 47,040,000 pixels of the training set.
constexpr ChannelStatistics kGrey = {0.2860405969887955, 0.3530242445149226};

// Gzipped, as published, or else plain.
std::string path_of(const std::string& folder, const std::string& name) {
  const auto plain = folder + "/" + name;
  std::error_code ignored;
  const bool use_plain = !std::filesystem::exists(plain + ".gz", ignored) &&
                         std::filesystem::exists(plain, ignored);
  return use_plain ? plain : plain + ".gz";
}

std::shared_ptr<const Source> load_half(
    const std::string& folder,
    const std::string& prefix,
    int64_t count,
    const Augmentation& augmentation) {
  ImageSet set{
      .rows = kFashionSide,
      .columns = kFashionSide,
      .classes = kFashionClasses,
      .channels = {kGrey},
      .pixels = read_idx_images(
          path_of(folder, prefix + "-images-idx3-ubyte"),
          {.count = count, .rows = kFashionSide, .columns = kFashionSide}),
      .labels = read_idx_labels(
          path_of(folder, prefix + "-labels-idx1-ubyte"),
          count,
          kFashionClasses)};
  return std::make_shared<ImageSource>(std::move(set), augmentation);
}

} // namespace

FileSet fashion_mnist_files(const DataOptions& /*options*/) {
  return {
      .name = "fashion-mnist",
      .files =
          {"train-images-idx3-ubyte.gz",
           "train-labels-idx1-ubyte.gz",
           "t10k-images-idx3-ubyte.gz",
           "t10k-labels-idx1-ubyte.gz",
           "train-images-idx3-ubyte",
           "train-labels-idx1-ubyte",
           "t10k-images-idx3-ubyte",
           "t10k-labels-idx1-ubyte"},
      .archive_folder = ""};
}

Dataset load_fashion_mnist(
    const std::string& folder,
    const DataOptions& options) {
  return {
      .name = "fashion-mnist",
      .train = load_half(
          folder,
          "train",
          60000,
          augmentation(options.augment, options.cutout)),
      .test = load_half(folder, "t10k", 10000, {})};
}

} // namespace grapevine::data
