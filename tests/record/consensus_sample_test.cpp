#include "record/consensus_sample.h"

#include "record/consensus.h"

#include <gtest/gtest.h>

#include <map>

namespace grapevine::record {
namespace {

TEST(ConsensusSample, SmallPlanesAreTakenWhole) {
  for (const int64_t size : {int64_t{1}, int64_t{4096}, int64_t{262144}}) {
    const ConsensusSample sample = consensus_sample(size, 1, 0);
    ASSERT_EQ(sample.pieces.size(), 1U);
    EXPECT_EQ(sample.pieces[0], (Range{0, size}));
    EXPECT_EQ(sample.elements, size);
    EXPECT_EQ(sample.scale, 1);
  }
}

TEST(ConsensusSample, LargePlanesGiveAscendingBlocksInsideThem) {
  const int64_t size = 100 * kConsensusBlock + 5;
  for (int64_t step = 0; step < 200; ++step) {
    const ConsensusSample sample = consensus_sample(size, 7, step);
    ASSERT_EQ(static_cast<int64_t>(sample.pieces.size()), kSampledBlocks);
    int64_t elements = 0;
    int64_t end = 0;
    for (const Range& piece : sample.pieces) {
      EXPECT_EQ(piece.begin % kConsensusBlock, 0);
      EXPECT_GE(piece.begin, end);
      EXPECT_LE(piece.end, size);
      EXPECT_GT(piece.size(), 0);
      end = piece.end;
      elements += piece.size();
    }
    EXPECT_EQ(sample.elements, elements);
    EXPECT_DOUBLE_EQ(
        sample.scale,
        static_cast<double>(size) / static_cast<double>(elements));
  }
}

TEST(ConsensusSample, IsAFunctionOfSeedAndStepAndReachesEveryBlockEvenly) {
  const int64_t blocks = 100;
  const int64_t size = blocks * kConsensusBlock;
  EXPECT_EQ(
      consensus_sample(size, 1, 5).pieces,
      consensus_sample(size, 1, 5).pieces);
  EXPECT_NE(
      consensus_sample(size, 1, 5).pieces,
      consensus_sample(size, 1, 6).pieces);
  EXPECT_NE(
      consensus_sample(size, 1, 5).pieces,
      consensus_sample(size, 2, 5).pieces);
  std::map<int64_t, int> seen;
  constexpr int kDraws = 1000;
  for (int step = 0; step < kDraws; ++step) {
    for (const Range& piece : consensus_sample(size, 3, step).pieces)
      ++seen[piece.begin / kConsensusBlock];
  }
  ASSERT_EQ(static_cast<int64_t>(seen.size()), blocks);
  // 640 expected, standard deviation 15; drawn from a fixed seed.
  for (const auto& [block, count] : seen)
    EXPECT_NEAR(count, 640, 75) << block;
}

} // namespace
} // namespace grapevine::record
