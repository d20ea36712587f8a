#include "data/jpeg.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

void read_jpeg(Bytes input) {
  Choices choices(input);
  const int64_t divisor = int64_t{1} << choices.next(4);
  data::JpegDecoder decoder;
  const auto size = decoder.size(input, "input.jpg");
  GV_CHECK(size.rows > 0 && size.columns > 0);
  // Large ones take their time, and nothing else.
  constexpr int64_t kLargest = int64_t{1} << 20;
  if (size.rows * size.columns > kLargest) return;
  data::RgbImage image;
  decoder.decode(input, divisor, "input.jpg", image);
  const auto divided = [&](int64_t extent) {
    return (extent + divisor - 1) / divisor;
  };
  GV_CHECK_EQ(image.size.rows, divided(size.rows));
  GV_CHECK_EQ(image.size.columns, divided(size.columns));
  GV_CHECK_EQ(
      static_cast<int64_t>(image.pixels.size()),
      image.size.rows * image.size.columns * 3);
}

} // namespace grapevine::fuzz
