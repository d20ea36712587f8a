#include "data/jpeg.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>
#include <turbojpeg.h>

#include <algorithm>
#include <string_view>

namespace grapevine::data {
namespace {

constexpr int kColours = 3;
constexpr int kInks = 4;

[[noreturn]] void refuse(const std::string& name, std::string_view reason) {
  throw IoError(fmt::format("{}: not a readable JPEG: {}", name, reason));
}

// Fatal are errors proper and, of what the library calls warnings, an image
// that ends too early: its rest would be grey.
void check(tjhandle handle, int result, const std::string& name) {
  if (result == 0) return;
  const std::string_view reason = tjGetErrorStr2(handle);
  const bool is_short = reason.find("Premature end") != std::string_view::npos;
  if (tjGetErrorCode(handle) == TJERR_WARNING && !is_short) return;
  refuse(name, reason);
}

void inks_to_rgb(const std::vector<uint8_t>& inks, RgbImage& image) {
  const uint8_t* ink = inks.data();
  for (size_t at = 0; at < image.pixels.size(); at += kColours) {
    for (int c = 0; c < kColours; ++c) {
      image.pixels[at + c] =
          static_cast<uint8_t>((ink[c] * ink[kColours] + 127) / 255);
    }
    ink += kInks;
  }
}

} // namespace

void JpegDecoder::Close::operator()(void* handle) const {
  tjDestroy(handle);
}

JpegDecoder::JpegDecoder() : handle_(tjInitDecompress()) {
  if (handle_ == nullptr) {
    throw IoError(fmt::format("libjpeg-turbo: {}", tjGetErrorStr2(nullptr)));
  }
}

JpegDecoder::~JpegDecoder() = default;
JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;
JpegDecoder& JpegDecoder::operator=(JpegDecoder&&) noexcept = default;

JpegDecoder::Header JpegDecoder::header(
    std::span<const uint8_t> bytes,
    const std::string& name) {
  // The library reads the first bytes before it counts them.
  if (!begins_as_jpeg(bytes)) refuse(name, "it does not begin as one");
  int columns = 0;
  int rows = 0;
  int sampling = 0;
  int colours = 0;
  check(
      handle_.get(),
      tjDecompressHeader3(
          handle_.get(),
          bytes.data(),
          bytes.size(),
          &columns,
          &rows,
          &sampling,
          &colours),
      name);
  if (rows < 1 || columns < 1 || rows > kMostPixels / columns) {
    refuse(
        name,
        fmt::format(
            "{} x {} pixels; expected 1 to {} of them",
            columns,
            rows,
            kMostPixels));
  }
  return {{rows, columns}, colours == TJCS_CMYK || colours == TJCS_YCCK};
}

ImageSize JpegDecoder::size(
    std::span<const uint8_t> bytes,
    const std::string& name) {
  return header(bytes, name).size;
}

void JpegDecoder::decode(
    std::span<const uint8_t> bytes,
    int64_t divisor,
    const std::string& name,
    RgbImage& image) {
  GV_CHECK(divisor == 1 || divisor == 2 || divisor == 4 || divisor == 8);
  const auto [size, is_cmyk] = header(bytes, name);
  const int rows = static_cast<int>((size.rows + divisor - 1) / divisor);
  const int columns = static_cast<int>((size.columns + divisor - 1) / divisor);
  const size_t pixels = static_cast<size_t>(rows) * columns;
  image.size = {rows, columns};
  image.pixels.resize(pixels * kColours);
  if (is_cmyk) inks_.resize(pixels * kInks);
  check(
      handle_.get(),
      tjDecompress2(
          handle_.get(),
          bytes.data(),
          bytes.size(),
          is_cmyk ? inks_.data() : image.pixels.data(),
          columns,
          /*pitch=*/0,
          rows,
          is_cmyk ? TJPF_CMYK : TJPF_RGB,
          /*flags=*/0),
      name);
  if (is_cmyk) inks_to_rgb(inks_, image);
}

bool begins_as_jpeg(std::span<const uint8_t> bytes) {
  return bytes.size() > 2 && bytes[0] == 0xFF && bytes[1] == 0xD8;
}

} // namespace grapevine::data
