#include "tensor/kernels/packed_floats.h"

#include "base/check.h"
#include "tensor/kernels/clones.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace grapevine::tensor {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr int kGroup = 256;
constexpr size_t kRawBytes = kGroup * sizeof(float);
constexpr int kRow = kGroup / 8; // bytes of a bit plane
constexpr int kHeaderBytes = 3;
constexpr int kFixedBytes = kHeaderBytes + 3 * kGroup;
constexpr int kGroupBound = kFixedBytes + kGroup;

constexpr int kLow = kHeaderBytes;
constexpr int kHigh = kLow + 2 * kGroup;
constexpr int kPlanes = kFixedBytes;

// Bits for an exponent: as many, or all eight. Six or seven hardly ever are
// the shortest, and every one costs a pass.
constexpr int kMostBits = 5;
constexpr int kAllBits = 8;

// The loops below are over whole arrays of constant length and without
// branches: so they become vector instructions, once they are part of the clone
// (tensor/kernels/clones.h) that calls them.
#define GV_INLINE __attribute__((always_inline))

// With W known the loops over planes and rows are unrolled, and what is left
// is one over the bytes of a row.
template <int W>
GV_INLINE inline void write_planes(const uint8_t* below, uint8_t* planes) {
  for (int p = 0; p < W; ++p) {
    for (int i = 0; i < kRow; ++i) {
      uint8_t byte = 0;
      for (int k = 0; k < 8; ++k)
        byte |= static_cast<uint8_t>(((below[kRow * k + i] >> p) & 1) << k);
      planes[kRow * p + i] = byte;
    }
  }
}

template <int W>
GV_INLINE inline void read_planes(const uint8_t* planes, uint8_t* below) {
  for (int k = 0; k < 8; ++k) {
    for (int i = 0; i < kRow; ++i) {
      uint8_t value = 0;
      for (int p = 0; p < W; ++p)
        value |= static_cast<uint8_t>(((planes[kRow * p + i] >> k) & 1) << p);
      below[kRow * k + i] = value;
    }
  }
}

// Calls visit with the width as a constant.
template <typename Visit>
GV_INLINE inline void with_width(int width, const Visit& visit) {
  switch (width) {
    case 0:
      return visit(std::integral_constant<int, 0>());
    case 1:
      return visit(std::integral_constant<int, 1>());
    case 2:
      return visit(std::integral_constant<int, 2>());
    case 3:
      return visit(std::integral_constant<int, 3>());
    case 4:
      return visit(std::integral_constant<int, 4>());
    case 5:
      return visit(std::integral_constant<int, kMostBits>());
    default:
      return visit(std::integral_constant<int, kAllBits>());
  }
}

// Of those that `width` bits do not hold. At most 255: the largest is none.
GV_INLINE inline int count_strays(const uint8_t* below, int width) {
  const auto most = static_cast<uint8_t>((1 << width) - 1);
  uint8_t strays = 0;
  for (int i = 0; i < kGroup; ++i)
    strays += below[i] > most ? 1 : 0;
  return strays;
}

struct Width {
  int bits = kAllBits;
  int strays = 0;
};

GV_INLINE inline Width best_width(const uint8_t* below) {
  Width best;
  int least = kRow * kAllBits;
  for (int width = 0; width <= kMostBits; ++width) {
    const int strays = count_strays(below, width);
    const int bytes = kRow * width + 2 * strays;
    if (bytes < least) {
      least = bytes;
      best = {width, strays};
    }
  }
  return best;
}

// Strays are few, so they are looked for eight at a time.
GV_INLINE inline uint8_t*
write_strays(const uint8_t* below, uint8_t largest, int width, uint8_t* out) {
  const uint64_t too_large =
      0x0101010101010101u * static_cast<uint8_t>(0xff << width);
  for (int i = 0; i < kGroup; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, below + i, sizeof(eight));
    for (eight &= too_large; eight != 0;) {
      const int byte = std::countr_zero(eight) / 8;
      *out++ = static_cast<uint8_t>(i + byte);
      *out++ = static_cast<uint8_t>(largest - below[i + byte]);
      eight &= ~(uint64_t{0xff} << (8 * byte));
    }
  }
  return out;
}

GV_CLONES size_t pack_group(const std::byte* values, uint8_t* out) {
  alignas(64) uint32_t floats[kGroup];
  std::memcpy(floats, values, sizeof(floats));
  alignas(64) uint8_t exponents[kGroup];
  alignas(64) uint16_t low[kGroup];
  alignas(64) uint8_t high[kGroup];
  for (int i = 0; i < kGroup; ++i) {
    const uint32_t bits = floats[i];
    exponents[i] = static_cast<uint8_t>(bits >> 23);
    low[i] = static_cast<uint16_t>(bits);
    high[i] =
        static_cast<uint8_t>(((bits >> 24) & 0x80) | ((bits >> 16) & 0x7f));
  }
  std::memcpy(out + kLow, low, sizeof(low));
  std::memcpy(out + kHigh, high, sizeof(high));

  uint8_t largest = 0;
  for (int i = 0; i < kGroup; ++i)
    largest = std::max(largest, exponents[i]);
  alignas(64) uint8_t below[kGroup];
  for (int i = 0; i < kGroup; ++i)
    below[i] = static_cast<uint8_t>(largest - exponents[i]);

  const Width width = best_width(below);
  out[0] = largest;
  out[1] = static_cast<uint8_t>(width.bits);
  out[2] = static_cast<uint8_t>(width.strays);
  with_width(width.bits, [&](auto bits) GV_INLINE {
    write_planes<bits>(below, out + kPlanes);
  });
  uint8_t* end = out + kPlanes + kRow * width.bits;
  if (width.strays > 0) end = write_strays(below, largest, width.bits, end);
  return end - out;
}

// The header has been checked: all that it names is there.
GV_CLONES void unpack_group(const uint8_t* in, std::byte* values) {
  alignas(64) uint8_t below[kGroup];
  const int width = in[1];
  with_width(width, [&](auto bits) GV_INLINE {
    read_planes<bits>(in + kPlanes, below);
  });
  const uint8_t largest = in[0];
  const uint8_t* stray = in + kPlanes + kRow * width;
  for (int s = 0; s < in[2]; ++s, stray += 2)
    below[stray[0]] = static_cast<uint8_t>(largest - stray[1]);

  alignas(64) uint16_t low[kGroup];
  alignas(64) uint8_t high[kGroup];
  std::memcpy(low, in + kLow, sizeof(low));
  std::memcpy(high, in + kHigh, sizeof(high));
  alignas(64) uint32_t floats[kGroup];
  for (int i = 0; i < kGroup; ++i) {
    const uint32_t exponent = static_cast<uint8_t>(largest - below[i]);
    const uint32_t top = high[i];
    floats[i] =
        (top & 0x80) << 24 | exponent << 23 | (top & 0x7f) << 16 | low[i];
  }
  std::memcpy(values, floats, sizeof(floats));
}

// Bytes of the group that begins here; 0 where there is none.
size_t group_bytes(std::span<const uint8_t> in) {
  if (in.size() < kFixedBytes) return 0;
  if (in[1] > kMostBits && in[1] != kAllBits) return 0;
  const size_t bytes = kFixedBytes + size_t{kRow} * in[1] + 2 * size_t{in[2]};
  return bytes <= in.size() ? bytes : 0;
}

} // namespace

size_t packed_bound(size_t floats) {
  return floats / kGroup * kGroupBound + floats % kGroup * sizeof(float);
}

size_t pack_floats(
    std::span<const std::byte> values,
    std::span<std::byte> packed) {
  GV_CHECK_EQ(values.size() % sizeof(float), size_t{0});
  GV_CHECK_GE(packed.size(), packed_bound(values.size() / sizeof(float)));
  std::byte* out = packed.data();
  for (; values.size() >= kRawBytes; values = values.subspan(kRawBytes))
    out += pack_group(values.data(), reinterpret_cast<uint8_t*>(out));
  out = std::ranges::copy(values, out).out;
  return out - packed.data();
}

bool unpack_floats(
    std::span<const std::byte> packed,
    std::span<std::byte> values) {
  for (; values.size() >= kRawBytes; values = values.subspan(kRawBytes)) {
    const auto* group = reinterpret_cast<const uint8_t*>(packed.data());
    const size_t bytes = group_bytes({group, packed.size()});
    if (bytes == 0) return false;
    unpack_group(group, values.data());
    packed = packed.subspan(bytes);
  }
  if (packed.size() != values.size()) return false;
  std::ranges::copy(packed, values.begin());
  return true;
}

} // namespace grapevine::tensor
