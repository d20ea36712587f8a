// Packed floats against a slow encoder written from the format's description;
// nothing is ever lost, and nothing that comes in breaks the decoder.
#include "tensor/kernels/packed_floats.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

namespace grapevine::tensor {
namespace {

using Bytes = std::vector<std::byte>;
constexpr size_t kGroup = 256;

using Draw = std::function<float(Random&)>;

float any_bits(Random& random) {
  return std::bit_cast<float>(static_cast<uint32_t>(random.next()));
}

struct Kind {
  const char* name;
  Draw draw;
  double least; // packed length, of floats' own
  double most;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {"normal",
       [](Random& r) { return static_cast<float>(0.02 * r.normal()); },
       0.84,
       0.86},
      {"uniform",
       [](Random& r) { return static_cast<float>(r.uniform() - 0.5); },
       0.84,
       0.855},
      {"equal magnitudes",
       [](Random& r) { return r.uniform() < 0.5 ? -1.5F : 1.0F; },
       0.75,
       0.754},
      {"zeros", [](Random&) { return 0.0F; }, 0.75, 0.754},
      {"half zeros",
       [](Random& r) {
         return r.uniform() < 0.5 ? 0.0F : static_cast<float>(r.normal());
       },
       0.9,
       1.003},
      {"a stray now and then",
       [](Random& r) {
         return static_cast<float>(
             r.uniform() < 0.01 ? 1e-30 : 1 + r.uniform());
       },
       0.75,
       0.77},
      {"any bits", any_bits, 0.99, 1.003},
      {"what is not a number",
       [](Random& r) {
         constexpr float kOnes[] = {
             std::numeric_limits<float>::quiet_NaN(),
             std::numeric_limits<float>::signaling_NaN(),
             -std::numeric_limits<float>::infinity(),
             std::numeric_limits<float>::denorm_min(),
             -0.0F};
         return kOnes[r.next() % std::size(kOnes)];
       },
       0.75,
       1.003},
  };
  return table;
}

Bytes draw(const Kind& kind, size_t floats, uint64_t stream = 0) {
  Random random(17, Purpose::kTest, stream);
  Bytes bytes(floats * sizeof(float));
  for (size_t i = 0; i < floats; ++i) {
    const float value = kind.draw(random);
    std::memcpy(&bytes[i * sizeof(float)], &value, sizeof(value));
  }
  return bytes;
}

Bytes pack(std::span<const std::byte> values) {
  Bytes packed(packed_bound(values.size() / sizeof(float)));
  packed.resize(pack_floats(values, packed));
  return packed;
}

// The description of packed_floats.h, word by word.
class SlowEncoder {
 public:
  explicit SlowEncoder(const Bytes& values) : values_(values) {}

  std::vector<uint8_t> run() {
    const size_t floats = values_.size() / sizeof(float);
    size_t first = 0;
    for (; first + kGroup <= floats; first += kGroup)
      group(first);
    for (size_t byte = first * sizeof(float); byte < values_.size(); ++byte)
      add(static_cast<uint8_t>(values_[byte]));
    return out_;
  }

 private:
  uint32_t bits(size_t i) const {
    uint32_t bits = 0;
    std::memcpy(&bits, &values_[i * sizeof(float)], sizeof(bits));
    return bits;
  }
  int exponent(size_t i) const { return static_cast<int>(bits(i) >> 23 & 255); }
  void add(uint32_t byte) { out_.push_back(static_cast<uint8_t>(byte)); }

  void group(size_t first) {
    int largest = 0;
    for (size_t i = 0; i < kGroup; ++i)
      largest = std::max(largest, exponent(first + i));
    const auto strays_of = [&](int width) {
      std::vector<size_t> strays;
      for (size_t i = 0; i < kGroup; ++i) {
        if (largest - exponent(first + i) >= 1 << width) strays.push_back(i);
      }
      return strays;
    };
    int best = 8;
    for (const int width : {5, 4, 3, 2, 1, 0}) {
      const auto bytes = [&](int w) {
        return 32 * w + 2 * strays_of(w).size();
      };
      if (bytes(width) < bytes(best) ||
          (best < 8 && bytes(width) == bytes(best))) {
        best = width;
      }
    }
    const auto strays = strays_of(best);
    add(largest);
    add(best);
    add(strays.size());
    for (size_t i = 0; i < kGroup; ++i) {
      add(bits(first + i));
      add(bits(first + i) >> 8);
    }
    for (size_t i = 0; i < kGroup; ++i) {
      const uint32_t sign = bits(first + i) >> 31;
      add(sign << 7 | (bits(first + i) >> 16 & 127));
    }
    for (int p = 0; p < best; ++p) {
      for (size_t i = 0; i < 32; ++i) {
        uint32_t byte = 0;
        for (size_t k = 0; k < 8; ++k) {
          const int below = largest - exponent(first + 32 * k + i);
          byte |= (below >> p & 1) << k;
        }
        add(byte);
      }
    }
    for (const size_t i : strays) {
      add(i);
      add(exponent(first + i));
    }
  }

  const Bytes& values_;
  std::vector<uint8_t> out_;
};

TEST(PackedFloats, AreAsDescribed) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const Bytes values = draw(kind, 10 * kGroup + 3);
    const Bytes packed = pack(values);
    const auto expected = SlowEncoder(values).run();
    ASSERT_EQ(packed.size(), expected.size());
    EXPECT_EQ(std::memcmp(packed.data(), expected.data(), packed.size()), 0);
  }
}

TEST(PackedFloats, LoseNothing) {
  for (const Kind& kind : kinds()) {
    for (const size_t floats : {0, 1, 7, 255, 256, 257, 511, 512, 100000}) {
      SCOPED_TRACE(testing::Message() << kind.name << ", " << floats);
      const Bytes values = draw(kind, floats, floats);
      const Bytes packed = pack(values);
      EXPECT_LE(packed.size(), packed_bound(floats));
      Bytes back(values.size(), std::byte{0xee});
      ASSERT_TRUE(unpack_floats(packed, back));
      EXPECT_EQ(values, back);
    }
  }
}

TEST(PackedFloats, LieAnywhereInMemory) {
  const Bytes values = draw(kinds()[0], 3 * kGroup);
  for (size_t shift = 1; shift < 4; ++shift) {
    Bytes shifted(values.size() + shift);
    std::ranges::copy(values, shifted.begin() + static_cast<long>(shift));
    const auto from = std::span(shifted).subspan(shift);
    Bytes room(packed_bound(3 * kGroup) + shift);
    const auto packed = std::span(room).subspan(shift);
    const size_t length = pack_floats(from, packed);
    ASSERT_TRUE(unpack_floats(packed.first(length), from));
    EXPECT_TRUE(std::ranges::equal(from, values));
  }
}

TEST(PackedFloats, AreAsShortAsPromised) {
  constexpr size_t kFloats = 100 * kGroup;
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const auto packed = static_cast<double>(pack(draw(kind, kFloats)).size());
    const double share = packed / (kFloats * sizeof(float));
    EXPECT_GE(share, kind.least);
    EXPECT_LE(share, kind.most);
  }
}

TEST(PackedFloats, RefuseWhatIsNotTheirs) {
  const Bytes packed = pack(draw(kinds()[0], 2 * kGroup + 3));
  Bytes values((2 * kGroup + 3) * sizeof(float));
  ASSERT_TRUE(unpack_floats(packed, values));
  for (size_t length = 0; length < packed.size(); ++length)
    EXPECT_FALSE(unpack_floats(std::span(packed).first(length), values));
  Bytes longer = packed;
  longer.push_back({});
  EXPECT_FALSE(unpack_floats(longer, values));
  for (const int width : {6, 7, 9, 255}) {
    Bytes wrong = packed;
    wrong[1] = static_cast<std::byte>(width);
    EXPECT_FALSE(unpack_floats(wrong, values)) << width;
  }
  // Whatever else is wrong gives other values, but breaks nothing.
  for (size_t i = 0; i < packed.size(); ++i) {
    Bytes wrong = packed;
    wrong[i] ^= std::byte{0x55};
    unpack_floats(wrong, values);
  }
}

} // namespace
} // namespace grapevine::tensor
