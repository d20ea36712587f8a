// Two neighbours that agree by notes, whatever happens to them: a random
// schedule of reads, losses, deaths and attempts, and then a calm in which they
// must find each other.
#include "member/handshake.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace grapevine::member {
namespace {

using Phase = Handshake::Phase;

// One side, with what a link keeper keeps of it.
struct Side {
  int rank;
  int peer;
  int64_t life = 1;
  std::optional<Handshake> handshake;
  bool is_cancelled = false;

  void start() { handshake.emplace(rank, life, peer); }
  void die() {
    ++life;
    is_cancelled = false;
    start();
  }
};

class Pair {
 public:
  Pair() {
    for (Side& side : sides_) {
      side.start();
      publish(side);
    }
  }

  void read(int which) {
    Side& side = sides_[which];
    const auto step = side.handshake->read(notes_[1 - which]);
    if (step.cancel) side.is_cancelled = true;
    if (step.connect) side.is_cancelled = false;
  }
  void publish(int which) { publish(sides_[which]); }

  // Resolves the attempt of this side, as a network could.
  void resolve(int which, bool may_succeed) {
    Side& side = sides_[which];
    if (side.handshake->phase() != Phase::kConnecting) return;
    const Handshake& other = *sides_[1 - which].handshake;
    const bool both = other.phase() != Phase::kApart &&
                      other.link_name() == side.handshake->link_name();
    if (both && may_succeed) {
      side.handshake->connected();
    } else {
      side.handshake->failed();
    }
  }

  void lose(int which) {
    Side& side = sides_[which];
    if (side.handshake->phase() == Phase::kLinked) side.handshake->lost();
  }

  void die(int which) { sides_[which].die(); }

  bool is_linked() const {
    const Handshake& a = *sides_[0].handshake;
    const Handshake& b = *sides_[1].handshake;
    return a.phase() == Phase::kLinked && b.phase() == Phase::kLinked &&
           a.link_name() == b.link_name();
  }

  // Nothing goes wrong any more: both read, and attempts succeed where both
  // are at the same one; who is alone at it gives up at last.
  int rounds_until_linked() {
    for (int round = 0; round < 20; ++round) {
      if (is_linked()) return round;
      for (const int which : {0, 1}) {
        read(which);
        publish(which);
      }
      const bool together =
          phase(0) != Phase::kApart && phase(1) != Phase::kApart &&
          sides_[0].handshake->link_name() == sides_[1].handshake->link_name();
      for (const int which : {0, 1}) {
        if (together || sides_[which].is_cancelled || round % 4 == 3)
          resolve(which, true);
        publish(which);
      }
    }
    return -1;
  }

  Phase phase(int which) const { return sides_[which].handshake->phase(); }

 private:
  void publish(const Side& side) {
    WorkerNote note{.life = side.life};
    note.edges[side.peer] = side.handshake->note();
    // Through the text, as in the store.
    notes_[side.rank == 3 ? 0 : 1] = parse_note(side.life, format_note(note));
  }

  Side sides_[2] = {{.rank = 3, .peer = 7}, {.rank = 7, .peer = 3}};
  WorkerNote notes_[2];
};

TEST(Handshake, LinksAtOnceWhereAllIsWell) {
  Pair pair;
  EXPECT_LE(pair.rounds_until_linked(), 2);
}

TEST(Handshake, LinksWhateverHasHappened) {
  for (int seed = 0; seed < 20000; ++seed) {
    std::mt19937 chance(seed);
    Pair pair;
    for (int i = 0; i < 40; ++i) {
      const int which = chance() % 2;
      const int what = chance() % 16;
      if (what < 5) pair.read(which);
      if (what >= 5 && what < 10) pair.publish(which);
      if (what >= 10 && what < 13) pair.resolve(which, chance() % 2 == 0);
      if (what == 13 || what == 14) pair.lose(which);
      if (what == 15) pair.die(which);
    }
    ASSERT_GE(pair.rounds_until_linked(), 0) << "seed " << seed;
  }
}

TEST(Handshake, TheNameHoldsBothLives) {
  Handshake low(2, 5, 9);
  Handshake high(9, 4, 2);
  WorkerNote from_low{.life = 5};
  from_low.edges[9] = low.note();
  EXPECT_TRUE(high.read(from_low).connect);
  WorkerNote from_high{.life = 4};
  from_high.edges[2] = high.note();
  EXPECT_TRUE(low.read(from_high).connect);
  EXPECT_EQ(low.link_name(), "edge/2-9/5.1.4");
  EXPECT_EQ(high.link_name(), "edge/2-9/5.1.4");
}

TEST(Handshake, NotesReadBack) {
  WorkerNote note{.life = 3};
  note.edges[1] = {.life = 2, .offer = 7, .dropped = true};
  note.edges[12] = {.life = 3, .offer = 1, .dropped = false};
  const auto again = parse_note(3, format_note(note));
  EXPECT_EQ(again.edges, note.edges);
  EXPECT_TRUE(parse_note(1, "").edges.empty());
}

} // namespace
} // namespace grapevine::member
