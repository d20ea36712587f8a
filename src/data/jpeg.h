// JPEG images to pixels, by libjpeg-turbo.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

struct ImageSize {
  int64_t rows = 0;
  int64_t columns = 0;
};

// Red, green, blue of each pixel, by rows, without padding.
struct RgbImage {
  ImageSize size;
  std::vector<uint8_t> pixels; // rows x columns x 3
};

// Reads colour, greyscale (three equal channels) and CMYK or YCCK JPEGs; the
// latter by red = cyan * black / 255 and so on, for they are stored inverted as
// Adobe writes them. A decoder is one thread's at a time. What it throws, it
// throws as IoError: the name given, and libjpeg-turbo's reason.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Of the header alone. Refuses images of more than kMostPixels.
  static constexpr int64_t kMostPixels = int64_t{1} << 26;
  ImageSize size(std::span<const uint8_t> bytes, const std::string& name);

  // The image with rows and columns divided by 1, 2, 4 or 8 (rounded up),
  // which is done on the coefficients: a half costs about half the time of the
  // whole. Bytes that end too early are an error; what the library can repair
  // otherwise, as everybody's viewer does, is not.
  void decode(
      std::span<const uint8_t> bytes,
      int64_t divisor,
      const std::string& name,
      RgbImage& image);

 private:
  struct Header {
    ImageSize size;
    bool is_cmyk = false;
  };
  Header header(std::span<const uint8_t> bytes, const std::string& name);

  struct Close {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Close> handle_;
  std::vector<uint8_t> inks_; // of a CMYK image
};

// The first bytes of every JPEG.
bool begins_as_jpeg(std::span<const uint8_t> bytes);

} // namespace grapevine::data
