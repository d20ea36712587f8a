// The programs of all plans, run by a slow interpreter that trusts nothing:
// every send has its receive, nothing is used before it is there, and the
// result is that of the mixing and, bit for bit, of the virtual form.
#include "mix/plan_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace grapevine::mix {
namespace {

using testing::Case;
using testing::Planes;

struct Message {
  int round;
  int slot_here;
  Piece piece;
  int from;
  int to;
  int slot_there;
};

// Pairs the j-th send from a to b with b's j-th receive from a.
std::vector<Message> match(const std::vector<Program>& programs) {
  std::map<std::pair<int, int>, std::vector<Receive>> expected;
  const int n = static_cast<int>(programs.size());
  for (int to = 0; to < n; ++to) {
    for (const Receive& receive : programs[to].receives) {
      expected[{receive.peer, to}].push_back(receive);
    }
  }
  std::vector<Message> messages;
  std::map<std::pair<int, int>, size_t> used;
  for (int from = 0; from < n; ++from) {
    for (const Send& send : programs[from].sends) {
      EXPECT_NE(send.peer, from);
      const std::pair pair(from, send.peer);
      const size_t j = used[pair]++;
      if (j >= expected[pair].size()) {
        ADD_FAILURE() << "a send without a receive";
        continue;
      }
      const Receive& receive = expected[pair][j];
      EXPECT_EQ(send.round, receive.round);
      EXPECT_EQ(send.piece, receive.piece);
      messages.push_back(
          {send.round, send.slot, send.piece, from, send.peer, receive.slot});
    }
  }
  for (const auto& [pair, list] : expected) {
    EXPECT_EQ(used[pair], list.size()) << "a receive without a send";
  }
  return messages;
}

class Interpreter {
 public:
  Interpreter(const Plan& plan, const Planes& planes)
      : count_(static_cast<int64_t>(planes[0].size())) {
    const float nothing = std::numeric_limits<float>::quiet_NaN();
    for (int i = 0; i < plan.n(); ++i) {
      programs_.push_back(plan.program(i));
      slots_.emplace_back(
          programs_[i].slots,
          std::vector<float>(count_, nothing));
      slots_[i][kValue] = planes[i];
    }
    messages_ = match(programs_);
  }

  Planes run() {
    int rounds = 0;
    for (const Program& it : programs_)
      rounds = std::max(rounds, it.rounds());
    for (int round = 0; round < rounds; ++round) {
      for (const Message& it : messages_) {
        if (it.round == round) deliver(it);
      }
      for (size_t i = 0; i < programs_.size(); ++i) {
        for (const Combine& it : programs_[i].combines) {
          if (it.round == round) combine(slots_[i], it);
        }
      }
    }
    Planes results;
    for (size_t i = 0; i < programs_.size(); ++i) {
      const bool idle = programs_[i].combines.empty();
      results.push_back(slots_[i][idle ? kValue : kResult]);
    }
    return results;
  }

 private:
  void deliver(const Message& it) {
    const Range range = piece_of({0, count_}, it.piece);
    for (int64_t e = range.begin; e < range.end; ++e) {
      slots_[it.to][it.slot_there][e] = slots_[it.from][it.slot_here][e];
    }
  }

  void combine(std::vector<std::vector<float>>& slots, const Combine& it) {
    const Range range = piece_of({0, count_}, it.piece);
    for (int64_t e = range.begin; e < range.end; ++e) {
      const auto term = [&](size_t k) {
        const float value = slots[it.terms[k]][e];
        return it.weights.empty() ? value : it.weights[k] * value;
      };
      float sum = term(0);
      for (size_t k = 1; k < it.terms.size(); ++k)
        sum = sum + term(k);
      slots[it.dst][e] = it.weights.empty() ? sum * it.scale : sum;
    }
  }

  int64_t count_;
  std::vector<Program> programs_;
  std::vector<Message> messages_;
  std::vector<std::vector<std::vector<float>>> slots_;
};

void expect_near_reference(
    const Case& it,
    const Planes& planes,
    const Planes& mixed) {
  for (int i = 0; i < it.mixing.n(); ++i) {
    const auto expected = testing::reference(it.mixing, planes, i);
    for (size_t e = 0; e < expected.size(); ++e) {
      ASSERT_NEAR(mixed[i][e], expected[e], 2e-3)
          << it.name << ", worker " << i << ", element " << e;
    }
  }
}

TEST(Program, OfEveryPlanGivesTheMixing) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 23, 24}) {
    const Planes planes = testing::make_planes(n, 29);
    for (const Case& it : testing::cases(n)) {
      SCOPED_TRACE(it.name + ", n = " + std::to_string(n));
      const Planes mixed = Interpreter(*it.plan, planes).run();
      expect_near_reference(it, planes, mixed);
      EXPECT_EQ(mixed, testing::mix_all(*it.plan, planes));
    }
  }
}

TEST(Program, OfLargeLatticesGivesTheMixing) {
  const std::vector<std::pair<int, int>> sizes{
      {50, 10},
      {50, 24},
      {50, 48},
      {96, 48},
      {97, 32},
      {97, 94},
      {1008, 112},
      {1008, 502},
      {1008, 1006}};
  for (const auto& [n, k] : sizes) {
    SCOPED_TRACE(fmt::format("n = {}, k = {}", n, k));
    const Planes planes = testing::make_planes(n, 3);
    const auto lattice = graph::Mixing::lattice(n, k);
    for (const PlanPtr& plan :
         {make_doubling_plan(n, k), make_block_scan_plan(n, k)}) {
      const Planes mixed = Interpreter(*plan, planes).run();
      expect_near_reference({plan->name(), lattice, plan}, planes, mixed);
      EXPECT_EQ(mixed, testing::mix_all(*plan, planes)) << plan->name();
    }
  }
}

// Every even k on a ring of every length up to 40: all the ways in which
// windows can lie over blocks.
TEST(Program, OfBlockScanIsRightForEveryWindow) {
  for (int n = 4; n <= 40; ++n) {
    const Planes planes = testing::make_planes(n, 1);
    for (int k = 2; k <= n - 2; k += 2) {
      const auto plan = make_block_scan_plan(n, k);
      const Planes mixed = Interpreter(*plan, planes).run();
      const auto lattice = graph::Mixing::lattice(n, k);
      expect_near_reference(
          {fmt::format("{}, {}", n, k), lattice, plan},
          planes,
          mixed);
      EXPECT_EQ(mixed, testing::mix_all(*plan, planes));
      EXPECT_LE(plan->max_messages(), 4);
    }
  }
}

TEST(Program, OfCompleteLeavesAllWorkersEqual) {
  for (const int n : {1, 2, 3, 5, 8}) {
    const auto plan = make_plan(graph::Mixing::complete(n), 1000);
    const Planes mixed = Interpreter(*plan, testing::make_planes(n, 40)).run();
    for (const auto& plane : mixed)
      EXPECT_EQ(plane, mixed[0]);
  }
}

TEST(Program, SumsAPairInRankOrder) {
  const auto plan = make_plan(graph::Mixing::groups(3, {{2, 0}, {1}}), 1000);
  // 1e8 + 1 is 1e8 in float, whichever side it is taken from.
  const Planes mixed = Interpreter(*plan, {{1e8f, 1}, {5, 5}, {1, 1e8f}}).run();
  EXPECT_EQ(mixed, (Planes{{5e7f, 5e7f}, {5, 5}, {5e7f, 5e7f}}));
}

TEST(Piece, CutsNearlyEqually) {
  EXPECT_EQ(piece_of({10, 17}, {0, 3}), (Range{10, 13}));
  EXPECT_EQ(piece_of({10, 17}, {1, 3}), (Range{13, 15}));
  EXPECT_EQ(piece_of({10, 17}, {2, 3}), (Range{15, 17}));
  EXPECT_EQ(piece_of({0, 1}, {1, 2}), (Range{1, 1}));
  EXPECT_TRUE(overlap({1, 3}, {0, 1}));
  EXPECT_TRUE(overlap({1, 3}, {1, 3}));
  EXPECT_FALSE(overlap({1, 3}, {2, 3}));
}

} // namespace
} // namespace grapevine::mix
