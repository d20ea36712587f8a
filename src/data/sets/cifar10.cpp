// CIFAR-10 (Krizhevsky 2009) in its binary layout: 50,000 + 10,000 colour
// images of 32 x 32 in 10 classes. Six files of 10,000 records; a record is a
// label byte and 3 x 1024 pixel bytes (red, green, blue; by rows).
#include "data/sets/sets.h"

#include "base/error.h"
#include "data/file.h"
#include "data/image_source.h"

#include <fmt/format.h>

namespace grapevine::data {
namespace {

constexpr int kClasses = 10;
constexpr int64_t kSide = 32;
constexpr int64_t kPixelBytes = 3 * kSide * kSide;
constexpr int64_t kRecordBytes = 1 + kPixelBytes;
constexpr int64_t kRecordsPerFile = 10000;

// Of the 51,200,000 pixels of each channel of the training set.
const std::vector<ChannelStatistics> kRedGreenBlue = {
    {0.49139967861519607, 0.24703223246328201},
    {0.48215840839460783, 0.24348512800005553},
    {0.44653091444546567, 0.2615878417279645}};

void append_records(const std::string& path, int64_t records, ImageSet& set) {
  const auto bytes = read_file(path);
  const auto found = static_cast<int64_t>(bytes.size());
  if (found != records * kRecordBytes) {
    throw IoError(fmt::format(
        "{}: expected {} bytes ({} records of {}), found {}",
        path,
        records * kRecordBytes,
        records,
        kRecordBytes,
        found));
  }
  for (int64_t r = 0; r < records; ++r) {
    const auto record = bytes.begin() + r * kRecordBytes;
    if (*record >= kClasses) {
      throw IoError(fmt::format(
          "{}: expected labels below {}, found {} at record {}",
          path,
          kClasses,
          *record,
          r));
    }
    set.labels.push_back(*record);
    set.pixels.insert(set.pixels.end(), record + 1, record + kRecordBytes);
  }
}

} // namespace

FileSet cifar10_files(const DataOptions& /*options*/) {
  return {
      .name = "cifar10",
      .files =
          {"data_batch_1.bin",
           "data_batch_2.bin",
           "data_batch_3.bin",
           "data_batch_4.bin",
           "data_batch_5.bin",
           "test_batch.bin"},
      .archive_folder = "cifar-10-batches-bin"};
}

std::shared_ptr<const Source> read_cifar10(
    std::span<const std::string> paths,
    int64_t records,
    const Augmentation& augmentation) {
  ImageSet set{
      .rows = kSide,
      .columns = kSide,
      .classes = kClasses,
      .channels = kRedGreenBlue,
      .pixels = {},
      .labels = {},
      .samples_a_file = records};
  const auto samples = static_cast<int64_t>(paths.size()) * records;
  set.pixels.reserve(samples * kPixelBytes);
  set.labels.reserve(samples);
  for (const auto& path : paths)
    append_records(path, records, set);
  return std::make_shared<ImageSource>(std::move(set), augmentation);
}

Dataset load_cifar10(const std::string& folder, const DataOptions& options) {
  std::vector<std::string> paths;
  for (const auto& file : cifar10_files({}).files) {
    paths.push_back(fmt::format("{}/{}", folder, file));
  }
  const std::span all(paths);
  return {
      .name = "cifar10",
      .train = read_cifar10(
          all.first(5),
          kRecordsPerFile,
          augmentation(options.augment, options.cutout)),
      .test = read_cifar10(all.last(1), kRecordsPerFile)};
}

} // namespace grapevine::data
