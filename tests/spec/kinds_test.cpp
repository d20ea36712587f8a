#include "spec/kinds.h"

#include <gtest/gtest.h>

namespace grapevine::spec {
namespace {

TEST(Kinds, AKeyCountsWhereItVariesAmongItsLikes) {
  Spec ring;
  ring.preset = "d-ring";
  Spec other_ring = ring;
  other_ring.seed = 2;
  Spec ada;
  ada.preset = "ada-auto";
  ada.graph = "ada";
  ada.ada_level = 0.5;
  ada.ada_every = 5;
  Spec denser = ada;
  denser.ada_level = 0.25;
  const Kinds kinds(
      {&ring, &other_ring, &ada, &denser},
      {"ada-level", "ada-every", "seed"});
  EXPECT_TRUE(kinds.varies(ada, "ada-level"));
  EXPECT_TRUE(kinds.varies(denser, "ada-level"));
  EXPECT_FALSE(kinds.varies(ring, "ada-level"));
  EXPECT_FALSE(kinds.varies(ada, "ada-every")); // the same for both
  EXPECT_TRUE(kinds.varies(ring, "seed"));
  EXPECT_FALSE(kinds.varies(ada, "seed"));
  EXPECT_FALSE(kinds.varies(Spec(), "seed")); // of no kind that is here
}

} // namespace
} // namespace grapevine::spec
