// ImageNet (ILSVRC2012) in its folder layout, and every set laid out like it:
//
//   train/<class>/*.JPEG, val/<class>/*.JPEG
//
// The label is the place of the class among the sorted names of train's
// folders; val must have the same ones. Samples are 3 x side x side.
//
//   training     random_box (data/resample.h) of the photograph, mirrored
//                every other time, by (seed, epoch, sample)
//   evaluation   central_box
//   both         scaled to side x side (data/resample.h), normalised by
//                ImageNet's means (0.485, 0.456, 0.406) and sds (0.229, 0.224,
//                0.225)
//
// Decoding shrinks by the largest of 8, 4, 2, 1 that leaves the box at least
// side x side, which saves most of the work on large photographs. Files are
// read and decoded when they are gathered, on the thread that gathers, with a
// decoder that no other thread has meanwhile.
#include "data/sets/sets.h"

#include "base/error.h"
#include "data/file.h"
#include "data/image_folder.h"
#include "data/jpeg.h"
#include "data/resample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace grapevine::data {
namespace {

constexpr std::array<ChannelStatistics, 3> kImagenetChannels = {
    {{0.485, 0.229}, {0.456, 0.224}, {0.406, 0.225}}};

// What a thread needs to make a sample.
struct Workplace {
  JpegDecoder decoder;
  Resampler resampler;
  RgbImage image;
};

// Those that no thread has at the moment.
class Workplaces {
 public:
  std::unique_ptr<Workplace> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Workplace>();
    auto place = std::move(free_.back());
    free_.pop_back();
    return place;
  }
  void put(std::unique_ptr<Workplace> place) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(place));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workplace>> free_; // guarded by mutex_
};

int64_t divisor_for(const ImageBox& box, int64_t side) {
  const double least = std::min(box.rows, box.columns);
  for (const int64_t divisor : {8, 4, 2}) {
    if (least >= static_cast<double>(divisor * side)) return divisor;
  }
  return 1;
}

ImageBox divided(const ImageBox& box, int64_t divisor) {
  const double share = 1 / static_cast<double>(divisor);
  return {
      .top = box.top * share,
      .left = box.left * share,
      .rows = box.rows * share,
      .columns = box.columns * share};
}

class ImagenetSource final : public Source {
 public:
  ImagenetSource(ImageFolder images, int64_t side)
      : images_(std::move(images)),
        side_(side) {}

  int64_t size() const override { return images_.size(); }
  std::vector<int64_t> sample_shape() const override {
    return {3, side_, side_};
  }
  int classes() const override {
    return static_cast<int>(images_.classes.size());
  }
  std::vector<int64_t> labels() const override {
    return {images_.labels.begin(), images_.labels.end()};
  }
  // Every sample is a file; what lies together is a class's folder.
  std::vector<int64_t> files() const override { return labels(); }

 private:
  void fill(std::span<const int64_t> indices, Batch& batch, const Draw* draw)
      const override {
    auto place = places_.take();
    const size_t elements = 3 * side_ * side_;
    const std::span<float> inputs(batch.inputs);
    for (size_t b = 0; b < indices.size(); ++b) {
      batch.labels[b] = images_.labels[indices[b]];
      make_sample(
          indices[b],
          draw,
          *place,
          inputs.subspan(b * elements, elements));
    }
    places_.put(std::move(place)); // one that has thrown is not used again
  }

  void make_sample(
      int64_t index,
      const Draw* draw,
      Workplace& place,
      std::span<float> result) const {
    const std::string path = images_.path_of(index);
    const auto bytes = read_file(path);
    const ImageSize size = place.decoder.size(bytes, path);
    ImageBox box;
    bool mirrored = false;
    if (draw == nullptr) {
      box = central_box(size);
    } else {
      Random random(draw->seed, Purpose::kAugment, draw->epoch, index);
      box = random_box(size, random);
      mirrored = random.below(2) == 1;
    }
    const int64_t divisor = divisor_for(box, side_);
    place.decoder.decode(bytes, divisor, path, place.image);
    place.resampler.resample(
        place.image,
        divided(box, divisor),
        side_,
        mirrored,
        kImagenetChannels,
        result);
  }

  ImageFolder images_;
  int64_t side_;
  mutable Workplaces places_;
};

void check_same_classes(const ImageFolder& train, const ImageFolder& val) {
  const auto by_name = [](const auto& a, const auto& b) {
    return a.name == b.name;
  };
  const auto [in_train, in_val] = std::mismatch(
      train.classes.begin(),
      train.classes.end(),
      val.classes.begin(),
      val.classes.end(),
      by_name);
  if (in_train == train.classes.end() && in_val == val.classes.end()) return;
  const bool only_train =
      in_val == val.classes.end() ||
      (in_train != train.classes.end() && in_train->name < in_val->name);
  throw IoError(fmt::format(
      "{}: expected the classes of {}, found {}{}",
      val.path,
      train.path,
      only_train ? "no " : "",
      only_train ? in_train->name : in_val->name));
}

} // namespace

FileSet imagenet_files(const DataOptions& /*options*/) {
  return {
      .name = "imagenet",
      .files = {"train/", "val/"},
      .archive_folder = "imagenette-mini"};
}

Dataset load_imagenet(const std::string& folder, const DataOptions& options) {
  const int64_t side = options.image_size;
  const auto& places = options.search_path;
  ImageFolder train = open_image_folder(folder + "/train", places);
  ImageFolder val = open_image_folder(folder + "/val", places);
  check_same_classes(train, val);
  return {
      .name = "imagenet",
      .train = std::make_shared<ImagenetSource>(std::move(train), side),
      .test = std::make_shared<ImagenetSource>(std::move(val), side)};
}

} // namespace grapevine::data
