#include "data/sets/sets.h"

#include "base/error.h"
#include "data/image_folder.h"
#include "data/jpeg_writer.h"
#include "data/temporary_folder.h"
#include "data/test_data.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace grapevine::data {
namespace {

namespace fs = std::filesystem;

std::string plain_jpeg(uint8_t red, uint8_t green, uint8_t blue) {
  const uint8_t colour[] = {red, green, blue};
  return jpeg(painted({20, 30}, [&](int64_t, int64_t, int channel) {
    return colour[channel];
  }));
}

// Three classes; in each of train's a number of plain images, in val one.
class Imagenet : public testing::Test {
 protected:
  Imagenet() {
    for (int c = 0; c < 3; ++c) {
      const std::string name = "n0" + std::to_string(c);
      for (int i = 0; i <= c; ++i) {
        folder.write(
            "train/" + name + "/img_" + std::to_string(i) + ".JPEG",
            plain_jpeg(static_cast<uint8_t>(40 * c + 10 * i), 128, 255));
      }
      folder.write("val/" + name + "/v.jpg", plain_jpeg(255, 0, 0));
    }
    folder.write("val/valprep.sh", "not a class");
    folder.write("train/n01/.hidden", "not an image");
    settle();
  }

  // As if nothing had changed for an hour.
  void settle() const {
    const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      if (entry.is_directory()) fs::last_write_time(entry.path(), then);
    }
  }

  Dataset load(int64_t side = 16) const {
    return load_imagenet(
        folder.path(),
        {.search_path = {}, .image_size = side});
  }
  std::string index() const { return folder / ".grapevine-train.index"; }

  TemporaryFolder folder;
};

TEST_F(Imagenet, LabelsAreSortedFolders) {
  const Dataset set = load();
  EXPECT_EQ(set.train->size(), 6);
  EXPECT_EQ(set.test->size(), 3);
  EXPECT_EQ(set.train->classes(), 3);
  EXPECT_EQ(set.train->sample_shape(), (std::vector<int64_t>{3, 16, 16}));
  EXPECT_EQ(set.train->labels(), (std::vector<int64_t>{0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(set.train->files(), set.train->labels());
  const Batch batch = gather(*set.train, {5, 1});
  EXPECT_EQ(batch.labels, (std::vector<int64_t>{2, 1}));
  // The last of class 2 has red 100, green 128, blue 255 all over.
  EXPECT_NEAR(batch.inputs[0], (100 / 255.0 - 0.485) / 0.229, 0.03);
  EXPECT_NEAR(batch.inputs[256], (128 / 255.0 - 0.456) / 0.224, 0.03);
  EXPECT_NEAR(batch.inputs[512 + 255], (1 - 0.406) / 0.225, 0.03);
}

TEST_F(Imagenet, IsFoundByNameAndLoadedByOptions) {
  DataOptions options{.name = "imagenet", .directory = folder.path()};
  options.image_size = 24;
  EXPECT_EQ(
      load_dataset(options).train->sample_shape(),
      (std::vector<int64_t>{3, 24, 24}));
  options.directory.clear();
  options.search_path = {folder / "no", folder.path()};
  EXPECT_EQ(locate_dataset(options), folder.path());
  fs::remove_all(folder / "val");
  EXPECT_EQ(locate_dataset(options), std::nullopt);
  EXPECT_SAYS(
      message_of<IoError>([&] { load_dataset(options); }),
      "expected train/");
  options.augment = "crop-flip";
  EXPECT_THROW(load_dataset(options), ConfigError);
}

TEST_F(Imagenet, ChanceIsAddressedBySeedEpochAndSample) {
  folder.write(
      "train/n00/img_0.JPEG",
      jpeg(painted({60, 80}, [](int64_t row, int64_t column, int) {
        return static_cast<uint8_t>(row + 2 * column);
      })));
  const Dataset set = load();
  const Draw draw{.seed = 3, .epoch = 1};
  const Draw later{.seed = 3, .epoch = 2};
  const auto once = gather(*set.train, {0}, &draw).inputs;
  EXPECT_EQ(gather(*set.train, {4, 0}, &draw).inputs.size(), 2 * once.size());
  const auto both = gather(*set.train, {4, 0}, &draw).inputs;
  EXPECT_TRUE(std::equal(once.begin(), once.end(), both.begin() + once.size()));
  EXPECT_NE(gather(*set.train, {0}, &later).inputs, once);
  EXPECT_EQ(gather(*set.train, {0}).inputs, gather(*set.train, {0}).inputs);
}

// A slope decoded at an eighth must look as the whole one does.
TEST_F(Imagenet, LargePhotographsAreShrunkWhileDecoding) {
  folder.write(
      "val/n00/v.jpg",
      jpeg(painted({1000, 1200}, [](int64_t row, int64_t column, int channel) {
        return static_cast<uint8_t>(
            channel == 0   ? row / 4
            : channel == 1 ? column / 5
                           : 77);
      })));
  const auto inputs = gather(*load(16).test, {0}).inputs;
  const double side = 1000 * 224.0 / 256;
  for (const int64_t i : {0, 7, 15}) {
    const double row = (1000 - side) / 2 + (i + 0.5) * side / 16;
    const double column = (1200 - side) / 2 + (i + 0.5) * side / 16;
    EXPECT_NEAR(
        inputs[i * 16 + 3],
        ((row - 0.5) / 4 / 255 - 0.485) / 0.229,
        0.05);
    EXPECT_NEAR(
        inputs[256 + 3 * 16 + i],
        ((column - 0.5) / 5 / 255 - 0.456) / 0.224,
        0.05);
  }
}

TEST_F(Imagenet, ThreadsReadAtOnce) {
  const Dataset set = load();
  const Draw draw{.seed = 1, .epoch = 1};
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5};
  const auto expected = gather(*set.train, all, &draw).inputs;
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i)
        wrong += gather(*set.train, all, &draw).inputs == expected ? 0 : 1;
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Imagenet, ErrorsNameTheFile) {
  const auto train = load().train;
  folder.write("train/n01/img_1.JPEG", plain_jpeg(0, 0, 0).substr(0, 300));
  EXPECT_SAYS(
      message_of<IoError>([&] { gather(*train, {2}); }),
      "train/n01/img_1.JPEG: not a readable JPEG");
  EXPECT_EQ(gather(*train, {1}).labels.size(), 1U);
  fs::remove(folder / "train/n01/img_1.JPEG");
  EXPECT_SAYS(
      message_of<IoError>([&] { gather(*train, {2}); }),
      "train/n01/img_1.JPEG");
}

TEST_F(Imagenet, RefusesWhatIsNotItsLayout) {
  const auto refusal = [&] { return message_of<IoError>([&] { load(); }); };
  const auto png = folder.write("train/n00/a.JPEG", "\x89PNG");
  EXPECT_SAYS(
      refusal(),
      "train/n00/a.JPEG: expected a JPEG (FF D8 …), found 89");
  fs::remove(png);
  const auto empty = folder.write("train/n00/b.JPEG", "");
  EXPECT_SAYS(refusal(), "found no bytes");
  fs::remove(empty);
  const auto text = folder.write("train/n00/c.txt", "text");
  EXPECT_SAYS(refusal(), "train/n00/c.txt: expected files called .JPEG");
  fs::remove(text);
  fs::create_directory(folder / "train/n07");
  EXPECT_SAYS(refusal(), "train/n07: a class without images");
  folder.write("train/n07/a.JPEG", plain_jpeg(0, 0, 0));
  EXPECT_SAYS(refusal(), "val: expected the classes of");
  EXPECT_SAYS(refusal(), "found no n07");
  fs::rename(folder / "train/n07", folder / "val/n04");
  EXPECT_SAYS(refusal(), "found n04");
  fs::remove_all(folder / "val");
  fs::create_directory(folder / "val");
  EXPECT_SAYS(refusal(), "val: expected a folder for each class");
}

TEST_F(Imagenet, TheIndexSavesLooking) {
  EXPECT_EQ(read_image_index(index(), folder / "train"), std::nullopt);
  load();
  const auto images = read_image_index(index(), folder / "train");
  ASSERT_TRUE(images.has_value());
  const ImageFolder looked = read_image_folder(folder / "train");
  EXPECT_EQ(images->names, looked.names);
  EXPECT_EQ(images->labels, looked.labels);
  EXPECT_EQ(images->begins, looked.begins);
  EXPECT_EQ(images->path_of(5), folder / "train/n02/img_2.JPEG");
  // Nobody looks at the files again: one that would be refused is not noticed
  // until it is read.
  folder.write("train/n00/img_0.JPEG", "no JPEG");
  EXPECT_EQ(load().train->size(), 6);
}

TEST_F(Imagenet, AStaleIndexIsMadeAgain) {
  load();
  folder.write("train/n01/new.JPEG", plain_jpeg(0, 0, 0));
  EXPECT_EQ(read_image_index(index(), folder / "train"), std::nullopt);
  EXPECT_EQ(load().train->size(), 7);
  // That index is too fresh to be believed: the folder might change again
  // within the same tick of the clock.
  EXPECT_EQ(read_image_index(index(), folder / "train"), std::nullopt);
  settle();
  load();
  EXPECT_TRUE(read_image_index(index(), folder / "train").has_value());
  fs::rename(folder / "train/n02", folder / "train/n03");
  EXPECT_EQ(read_image_index(index(), folder / "train"), std::nullopt);
}

TEST_F(Imagenet, ABrokenIndexIsIgnored) {
  load();
  const std::string whole = read_text(index());
  const auto train = folder / "train";
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 1);
    folder.write(".grapevine-train.index", broken);
    ASSERT_EQ(read_image_index(index(), train), std::nullopt) << at;
    folder.write(".grapevine-train.index", whole.substr(0, at));
    ASSERT_EQ(read_image_index(index(), train), std::nullopt) << at;
  }
  EXPECT_EQ(load().train->size(), 6);
  EXPECT_EQ(read_text(index()), whole);
}

// The example of docs/formats.md.
TEST_F(Imagenet, TheIndexIsAsItsPageSays) {
  ImageFolder images;
  images.classes.push_back({.name = "n01440764", .changed = 1700000000123});
  images.add("a.JPEG");
  images.add("b.JPEG");
  images.classes.push_back({.name = "n02102040", .changed = 1700000000456});
  images.add("c.JPEG");
  ASSERT_TRUE(write_image_index(folder / "example", images));
  EXPECT_EQ(
      read_text(folder / "example"),
      "grapevine image index 1\n"
      "1700000000123 2 n01440764\n"
      "a.JPEG\n"
      "b.JPEG\n"
      "1700000000456 1 n02102040\n"
      "c.JPEG\n"
      "sha256 "
      "2025e88f84df75339ad91a0a9f40dedef63c0d0845a11369f575da6dbc2b9e96"
      "\n");
}

TEST_F(Imagenet, TheIndexLiesWhereItCan) {
  const auto files =
      image_index_files(folder / "train", {"/somewhere/grapevine"});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0], index());
  EXPECT_TRUE(files[1].starts_with("/somewhere/grapevine/image-index/"));
  EXPECT_FALSE(write_image_index("/dev/null/no/index", {}));
  // A folder where the file should be: the next place is taken.
  fs::create_directory(index());
  load_imagenet(
      folder.path(),
      {.search_path = {folder / "cache"}, .image_size = 16});
  EXPECT_FALSE(fs::is_empty(folder / "cache/image-index"));
  EXPECT_TRUE(read_image_index(
                  image_index_files(folder / "train", {folder / "cache"})[1],
                  folder / "train")
                  .has_value());
}

// Through links in a folder of our own, so that its index lies there.
TEST(Imagenette, IsReadable) {
  const auto found = locate_dataset(test_data("imagenet"));
  if (!found) {
    GTEST_SKIP()
        << "imagenette-mini is not on this machine: set GRAPEVINE_DATA "
           "to the folder that holds it";
  }
  const TemporaryFolder folder;
  for (const std::string half : {"train", "val"})
    fs::create_directory_symlink(*found + "/" + half, folder / half);
  const Dataset set =
      load_imagenet(folder.path(), {.search_path = {}, .image_size = 64});
  EXPECT_GE(set.train->size(), 100);
  EXPECT_EQ(set.train->classes(), set.test->classes());
  std::vector<int64_t> all(set.test->size());
  std::iota(all.begin(), all.end(), 0);
  const Batch batch = gather(*set.test, all);
  double sum = 0;
  double squares = 0;
  for (const float value : batch.inputs) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(batch.inputs.size());
  EXPECT_NEAR(sum / count, 0, 0.3); // they are normalised by ImageNet's
  EXPECT_NEAR(std::sqrt(squares / count), 1.15, 0.3);
}

} // namespace
} // namespace grapevine::data
