// The paper's largest scale, 1008 workers, in one process: a few rounds, so
// that it is known to work; docs/results.md has what comes out of more.
#include "system/program.h"

namespace grapevine::system {
namespace {

TEST(ManyWorkers, GossipInVirtualTime) {
  const cli::Scratch scratch;
  const auto result = result_of(cli::grapevine(
      split("train --json --quiet --check --preset a2cid2 -n 1008 --model cnn "
            "--data synthetic --batch 1 --steps 3 --lr 0.02 --eval-samples 4 "
            "--checkpoint-every -1") +
      Words{"--out", scratch.file("run")}));
  EXPECT_EQ(result["outcome"], "completed");
  EXPECT_EQ(result["steps"], 3);
  // Replicas in pairs, and the words that made them; some 1008 a round.
  EXPECT_GT(result["messages"], 3 * 1008);
  EXPECT_GT(result["consensus_distance"], 0);
}

} // namespace
} // namespace grapevine::system
