#include "record/consensus_sample.h"

#include "base/check.h"
#include "base/random.h"
#include "record/consensus.h"

#include <algorithm>
#include <set>

namespace grapevine::record {
namespace {

// `count` of the numbers below `bound`, ascending (Floyd's way: one draw a
// number, whatever the bound).
std::set<int64_t> choose(int64_t count, int64_t bound, Random random) {
  std::set<int64_t> chosen;
  for (int64_t i = bound - count; i < bound; ++i) {
    const auto drawn =
        static_cast<int64_t>(random.below(static_cast<uint64_t>(i) + 1));
    chosen.insert(chosen.count(drawn) ? i : drawn);
  }
  return chosen;
}

} // namespace

ConsensusSample
consensus_sample(int64_t plane_elements, uint64_t seed, int64_t step) {
  GV_CHECK(plane_elements > 0);
  const int64_t blocks =
      (plane_elements + kConsensusBlock - 1) / kConsensusBlock;
  if (blocks <= kSampledBlocks) {
    return {{{0, plane_elements}}, plane_elements, 1};
  }
  ConsensusSample sample;
  const Random random(seed, Purpose::kProbe, static_cast<uint64_t>(step));
  for (const int64_t block : choose(kSampledBlocks, blocks, random)) {
    const int64_t begin = block * kConsensusBlock;
    const int64_t end = std::min(begin + kConsensusBlock, plane_elements);
    sample.pieces.push_back({begin, end});
    sample.elements += end - begin;
  }
  sample.scale = static_cast<double>(plane_elements) /
                 static_cast<double>(sample.elements);
  return sample;
}

} // namespace grapevine::record
