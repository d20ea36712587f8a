// JPEGs for tests, written with the library that reads them.
#pragma once

#include "data/jpeg.h"

#include <turbojpeg.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace grapevine::data {

// A colour at (row, column), each channel 0 to 255.
using Paint = std::function<uint8_t(int64_t row, int64_t column, int channel)>;

inline RgbImage painted(const ImageSize& size, const Paint& paint) {
  RgbImage image{.size = size, .pixels = {}};
  for (int64_t row = 0; row < size.rows; ++row) {
    for (int64_t column = 0; column < size.columns; ++column) {
      for (int channel = 0; channel < 3; ++channel)
        image.pixels.push_back(paint(row, column, channel));
    }
  }
  return image;
}

// Hardly any loss: quality 100, no subsampling. format: of the pixels given,
// e.g. TJPF_RGB or TJPF_CMYK.
inline std::string
packed(const uint8_t* pixels, const ImageSize& size, int format, int sampling) {
  const tjhandle handle = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  const int result = tjCompress2(
      handle,
      pixels,
      static_cast<int>(size.columns),
      0,
      static_cast<int>(size.rows),
      format,
      &bytes,
      &count,
      sampling,
      100,
      0);
  std::string text(reinterpret_cast<char*>(bytes), count);
  tjFree(bytes);
  tjDestroy(handle);
  if (result != 0) throw std::runtime_error("cannot write a JPEG");
  return text;
}

inline std::string jpeg(const RgbImage& image, int sampling = TJSAMP_444) {
  return packed(image.pixels.data(), image.size, TJPF_RGB, sampling);
}

} // namespace grapevine::data
