#include "data/image_source.h"

#include "base/error.h"
#include "data/test_data.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numeric>
#include <set>

namespace grapevine::data {
namespace {

constexpr int64_t kRows = 7;
constexpr int64_t kColumns = 9;

// Every pixel of a channel has a byte of its own, so that a result says where
// it came from; the mean is no byte, so that 0 is padding.
ImageSet numbered(int64_t samples) {
  ImageSet set{
      .rows = kRows,
      .columns = kColumns,
      .classes = 2,
      .channels = {{-0.5, 1}, {-1.5, 2}},
      .pixels = {},
      .labels = std::vector<uint8_t>(samples, 1)};
  for (int64_t i = 0; i < samples * 2 * kRows * kColumns; ++i)
    set.pixels.push_back(static_cast<uint8_t>(i % (kRows * kColumns)));
  return set;
}

// Element by element, straight from the definition.
float expected(const Change& change, int channel, int64_t row, int64_t column) {
  const bool is_cut = row >= change.cut_rows[0] && row < change.cut_rows[1] &&
                      column >= change.cut_columns[0] &&
                      column < change.cut_columns[1];
  if (is_cut) return 0;
  const int64_t seen = change.flips ? kColumns - 1 - column : column;
  const int64_t from_row = row + change.down;
  const int64_t from_column = seen + change.right;
  if (from_row < 0 || from_row >= kRows) return 0;
  if (from_column < 0 || from_column >= kColumns) return 0;
  const double byte = static_cast<double>(from_row * kColumns + from_column);
  return static_cast<float>(
      channel == 0 ? byte / 255 + 0.5 : (byte / 255 + 1.5) / 2);
}

TEST(Augment, IsItsDefinition) {
  const Augmentation all{.crops_and_flips = true, .cutout = 4};
  const ImageSource source(numbered(3), all);
  for (int64_t epoch = 0; epoch < 50; ++epoch) {
    const Draw draw{.seed = 5, .epoch = epoch};
    const Batch batch = gather(source, {2, 0}, &draw);
    const float* value = batch.inputs.data();
    for (const int64_t sample : {2, 0}) {
      const Change change = draw_change(
          all,
          kRows,
          kColumns,
          Random(5, Purpose::kAugment, epoch, sample));
      for (const int channel : {0, 1}) {
        for (int64_t row = 0; row < kRows; ++row) {
          for (int64_t column = 0; column < kColumns; ++column)
            ASSERT_EQ(*value++, expected(change, channel, row, column));
        }
      }
    }
  }
}

TEST(Augment, EveryShiftAndFlipIsEquallyLikely) {
  constexpr int kDraws = 81000;
  std::map<std::pair<int64_t, int64_t>, int> shifts;
  int flips = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Change change = draw_change(
        {.crops_and_flips = true},
        32,
        32,
        Random(1, Purpose::kAugment, 0, i));
    ++shifts[{change.down, change.right}];
    flips += change.flips ? 1 : 0;
    EXPECT_EQ(change.cut_rows[1] - change.cut_rows[0], 0);
  }
  ASSERT_EQ(shifts.size(), 81U);
  EXPECT_EQ(shifts.begin()->first, (std::pair<int64_t, int64_t>(-4, -4)));
  EXPECT_EQ(shifts.rbegin()->first, (std::pair<int64_t, int64_t>(4, 4)));
  for (const auto& [shift, count] : shifts)
    EXPECT_NEAR(count, kDraws / 81, 6 * 32); // sd 31.6
  EXPECT_NEAR(flips, kDraws / 2, 6 * 143);
}

TEST(Augment, CutsAsMuchAsLiesInside) {
  std::set<int64_t> heights;
  for (int i = 0; i < 1000; ++i) {
    const Change change =
        draw_change({.cutout = 16}, 32, 32, Random(1, Purpose::kAugment, 0, i));
    for (const auto* range : {change.cut_rows, change.cut_columns}) {
      EXPECT_GE(range[0], 0);
      EXPECT_LE(range[1], 32);
      EXPECT_GE(range[1] - range[0], 8);
    }
    heights.insert(change.cut_rows[1] - change.cut_rows[0]);
  }
  EXPECT_EQ(*heights.begin(), 8);
  EXPECT_EQ(*heights.rbegin(), 16);
}

TEST(Augment, IsAddressedBySeedEpochAndSample) {
  const ImageSource source(numbered(4), {.crops_and_flips = true});
  const Draw draw{.seed = 1, .epoch = 3};
  const auto both = gather(source, {1, 3}, &draw).inputs;
  const auto last = gather(source, {3}, &draw).inputs;
  EXPECT_TRUE(std::equal(last.begin(), last.end(), both.end() - last.size()));
  std::set<std::vector<float>> seen;
  for (int64_t epoch = 0; epoch < 30; ++epoch) {
    const Draw later{.seed = 1, .epoch = epoch};
    seen.insert(gather(source, {3}, &later).inputs);
  }
  EXPECT_GT(seen.size(), 20U);
}

TEST(Augment, EvaluationSeesImagesAsTheyAre) {
  const ImageSource plain(numbered(4));
  const ImageSource changed(
      numbered(4),
      {.crops_and_flips = true, .cutout = 3});
  const Draw draw;
  EXPECT_EQ(gather(changed, {0, 3}).inputs, gather(plain, {0, 3}).inputs);
  EXPECT_EQ(gather(plain, {0, 3}, &draw).inputs, gather(plain, {0, 3}).inputs);
}

TEST(Augment, RefusesWhatItIsNotFor) {
  EXPECT_THROW(augmentation("crop", 16), ConfigError);
  EXPECT_THROW(
      load_dataset({.name = "synthetic", .augment = "crop-flip"}),
      ConfigError);
  EXPECT_THROW(
      load_dataset({.name = "synthetic", .augment = "flip"}),
      ConfigError);
  EXPECT_FALSE(augmentation("none", 16).changes());
  EXPECT_EQ(augmentation("crop-flip", 16).cutout, 0);
  EXPECT_EQ(augmentation("crop-flip-cutout", 12).cutout, 12);
}

} // namespace
} // namespace grapevine::data
