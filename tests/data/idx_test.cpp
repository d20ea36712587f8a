#include "data/idx.h"

#include "base/error.h"
#include "data/temporary_folder.h"

namespace grapevine::data {
namespace {

using testing::Test;

// Two images of 2 x 3.
const std::string kPixels = "abcdefghijkl";
const std::string kImages =
    big_endian(0x803) + big_endian(2) + big_endian(2) + big_endian(3) + kPixels;
const std::string kLabels =
    big_endian(0x801) + big_endian(3) + std::string("\x00\x09\x01", 3);
const IdxImages kShape = {.count = 2, .rows = 2, .columns = 3};

class IdxTest : public Test {
 protected:
  std::string images_error(const std::string& name, std::string_view bytes) {
    const auto path = folder_.write(name, bytes);
    const auto message =
        message_of<IoError>([&] { read_idx_images(path, kShape); });
    EXPECT_NE(message.find(path), std::string::npos) << message;
    return message;
  }

  TemporaryFolder folder_;
};

TEST_F(IdxTest, ReadsPlainAndGzipped) {
  const std::vector<uint8_t> pixels(kPixels.begin(), kPixels.end());
  EXPECT_EQ(read_idx_images(folder_.write("i", kImages), kShape), pixels);
  EXPECT_EQ(
      read_idx_images(folder_.write("i.gz", gzip(kImages)), kShape),
      pixels);
  const std::vector<uint8_t> labels = {0, 9, 1};
  EXPECT_EQ(read_idx_labels(folder_.write("l", kLabels), 3, 10), labels);
  EXPECT_EQ(
      read_idx_labels(folder_.write("l.gz", gzip(kLabels)), 3, 10),
      labels);
}

TEST_F(IdxTest, MissingFile) {
  const auto message = message_of<IoError>(
      [&] { read_idx_images(folder_ / "none.gz", kShape); });
  EXPECT_SAYS(message, "none.gz: cannot open: No such file");
}

TEST_F(IdxTest, FolderInPlaceOfFile) {
  std::filesystem::create_directory(folder_ / "d");
  EXPECT_THROW(read_idx_images(folder_ / "d", kShape), IoError);
}

TEST_F(IdxTest, WrongHeaderWords) {
  const char* const meanings[] = {
      "expected magic number 2051, found 77",
      "expected number of images 2, found 77",
      "expected rows 2, found 77",
      "expected columns 3, found 77"};
  for (int word = 0; word < 4; ++word) {
    auto bytes = kImages;
    bytes.replace(word * 4, 4, big_endian(77));
    EXPECT_SAYS(images_error("plain", bytes), meanings[word]);
    EXPECT_SAYS(images_error("packed.gz", gzip(bytes)), meanings[word]);
  }
}

TEST_F(IdxTest, EveryTruncationIsSeen) {
  for (size_t length = 0; length < kImages.size(); ++length) {
    const auto part = kImages.substr(0, length);
    EXPECT_SAYS(
        images_error("plain", part),
        "expected 28 bytes, found " + std::to_string(length));
    EXPECT_SAYS(
        images_error("packed.gz", gzip(part)),
        "expected 28 bytes unpacked, found " + std::to_string(length));
  }
}

TEST_F(IdxTest, EveryTruncationOfTheGzipStreamIsSeen) {
  const auto packed = gzip(kImages);
  for (size_t length = 0; length < packed.size(); ++length) {
    const auto message =
        images_error("cut.gz", std::string_view(packed).substr(0, length));
    EXPECT_SAYS(
        message,
        length < 2 ? "expected a gzip file" : "expected a whole gzip stream");
  }
}

TEST_F(IdxTest, BytesAfterTheEnd) {
  EXPECT_SAYS(
      images_error("plain", kImages + "x"),
      "expected 28 bytes, found more");
  EXPECT_SAYS(
      images_error("inside.gz", gzip(kImages + "x")),
      "expected 28 bytes unpacked, found more");
  EXPECT_SAYS(
      images_error("behind.gz", gzip(kImages) + "garbage"),
      "found 7 more");
}

TEST_F(IdxTest, AFlippedByteIsSeen) {
  const auto packed = gzip(kImages);
  // Behind the gzip header's ten bytes, whose time stamp may be anything.
  for (size_t at = 10; at < packed.size(); ++at) {
    auto bytes = packed;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const auto path = folder_.write("flip.gz", bytes);
    EXPECT_THROW(read_idx_images(path, kShape), IoError) << at;
  }
}

TEST_F(IdxTest, NotGzip) {
  EXPECT_SAYS(
      images_error("plain.gz", kImages),
      "expected a gzip file (first bytes 1f 8b), found 00 00");
}

TEST_F(IdxTest, LabelsOutOfRange) {
  const auto path = folder_.write("l", kLabels);
  const auto message =
      message_of<IoError>([&] { read_idx_labels(path, 3, 9); });
  EXPECT_SAYS(message, "expected labels below 9, found 9 at sample 1");
}

TEST_F(IdxTest, LabelsOfAnotherCount) {
  const auto path = folder_.write("l", kLabels);
  EXPECT_SAYS(
      message_of<IoError>([&] { read_idx_labels(path, 4, 10); }),
      "expected number of labels 4, found 3");
}

} // namespace
} // namespace grapevine::data
