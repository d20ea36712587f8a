#include "data/jpeg.h"

#include "base/error.h"
#include "data/jpeg_writer.h"
#include "data/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace grapevine::data {
namespace {

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

RgbImage slope(const ImageSize& size) {
  return painted(size, [](int64_t row, int64_t column, int channel) {
    return static_cast<uint8_t>(
        channel == 0   ? 2 * row
        : channel == 1 ? 3 * column
                       : 200 - row);
  });
}

TEST(Jpeg, ReadsWhatWasWritten) {
  const RgbImage image = slope({40, 57});
  const std::string file = jpeg(image);
  JpegDecoder decoder;
  const ImageSize size = decoder.size(bytes_of(file), "a");
  EXPECT_EQ(size.rows, 40);
  EXPECT_EQ(size.columns, 57);
  RgbImage read;
  decoder.decode(bytes_of(file), 1, "a", read);
  ASSERT_EQ(read.pixels.size(), image.pixels.size());
  for (size_t i = 0; i < read.pixels.size(); ++i)
    ASSERT_NEAR(read.pixels[i], image.pixels[i], 4) << i;
}

// A smaller image is the large one's blocks averaged, as far as that goes.
TEST(Jpeg, ShrinksWhileItDecodes) {
  const RgbImage image = slope({50, 67});
  const std::string file = jpeg(image);
  JpegDecoder decoder;
  for (const int64_t divisor : {2, 4, 8}) {
    RgbImage read;
    decoder.decode(bytes_of(file), divisor, "a", read);
    EXPECT_EQ(read.size.rows, (50 + divisor - 1) / divisor);
    EXPECT_EQ(read.size.columns, (67 + divisor - 1) / divisor);
    // Red is twice the row; the last row may be of an incomplete block.
    for (int64_t row = 0; row + 1 < read.size.rows; ++row) {
      const double centre =
          static_cast<double>(row) * static_cast<double>(divisor) +
          static_cast<double>(divisor - 1) / 2;
      const size_t at = (row * read.size.columns + 3) * 3;
      EXPECT_NEAR(read.pixels[at], 2 * centre, 4) << divisor << " " << row;
    }
  }
}

TEST(Jpeg, GreyHasThreeEqualChannels) {
  const std::string file = jpeg(slope({16, 16}), TJSAMP_GRAY);
  RgbImage read;
  JpegDecoder().decode(bytes_of(file), 1, "a", read);
  for (size_t i = 0; i < read.pixels.size(); i += 3) {
    EXPECT_EQ(read.pixels[i], read.pixels[i + 1]);
    EXPECT_EQ(read.pixels[i], read.pixels[i + 2]);
  }
}

TEST(Jpeg, InksBecomeColours) {
  // Inverted, as Adobe stores them: 255 is no ink.
  std::vector<uint8_t> inks;
  for (int i = 0; i < 16 * 16; ++i)
    inks.insert(inks.end(), {200, 100, 50, 128});
  const std::string file = packed(inks.data(), {16, 16}, TJPF_CMYK, TJSAMP_444);
  RgbImage read;
  JpegDecoder().decode(bytes_of(file), 1, "a", read);
  EXPECT_NEAR(read.pixels[0], 200 * 128 / 255.0, 3);
  EXPECT_NEAR(read.pixels[1], 100 * 128 / 255.0, 3);
  EXPECT_NEAR(read.pixels[2], 50 * 128 / 255.0, 3);
}

TEST(Jpeg, BrokenOnesAreNamed) {
  const std::string file = jpeg(slope({64, 64}));
  JpegDecoder decoder;
  RgbImage image;
  const auto message = [&](const std::string& text) {
    return message_of<IoError>(
        [&] { decoder.decode(bytes_of(text), 1, "cat.JPEG", image); });
  };
  for (const auto& text :
       {std::string(),
        std::string("\xFF\xD8"),
        std::string("\xFF\xD8\xFF"),
        std::string("\x89PNG and more"),
        file.substr(0, 100),
        file.substr(0, file.size() / 2)}) {
    const auto words = message(text);
    EXPECT_NE(words.find("cat.JPEG: not a readable JPEG: "), std::string::npos)
        << words;
  }
  // The decoder is as good as new.
  decoder.decode(bytes_of(file), 1, "cat.JPEG", image);
  EXPECT_EQ(image.size.rows, 64);
}

// Any byte may be wrong: an error or some image, but nothing worse.
TEST(Jpeg, SurvivesFlippedBytes) {
  const std::string file = jpeg(slope({32, 48}), TJSAMP_420);
  JpegDecoder decoder;
  RgbImage image;
  for (size_t at = 0; at < file.size(); ++at) {
    std::string broken = file;
    broken[at] = static_cast<char>(broken[at] ^ 0x5A);
    try {
      decoder.decode(bytes_of(broken), 1 + (at % 2), "a", image);
    } catch (const IoError&) {
      continue;
    }
    EXPECT_EQ(
        static_cast<int64_t>(image.pixels.size()),
        image.size.rows * image.size.columns * 3);
  }
}

} // namespace
} // namespace grapevine::data
