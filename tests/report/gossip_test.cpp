// Asynchronous runs read back: counts of each worker, curves against rounds.
#include "report/gossip.h"
#include "record/run_directory.h"
#include "record/temporary_directory.h"
#include "report/run_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>

namespace grapevine::report {
namespace {

using nlohmann::json;

class GossipRecords : public testing::Test {
 protected:
  void make(int n, const std::string& more = "") const {
    run_.create();
    run_.write_spec(fmt::format(
        "agreement = \"gossip\"\nn = {}\nepochs = 2\nprobe-every = 2\n{}",
        n,
        more));
    run_.write_run({{"outcome", "running"}});
  }
  void write(int process, const std::vector<json>& lines) const {
    std::string text = "{\"type\":\"format\",\"format_version\":1}\n";
    for (const json& line : lines)
      text += line.dump() + "\n";
    record::put(run_.records(process), text);
  }
  RunData read() const {
    RunData data = read_header(run_.path());
    read_run(data, {.detail = true});
    return data;
  }

  record::TemporaryDirectory directory_;
  record::RunDirectory run_{directory_ / "run"};
};

json attempt(const std::vector<int>& workers, const std::string& transport) {
  return {
      {"type", "attempt"},
      {"attempt", 0},
      {"step", 0},
      {"workers", workers},
      {"transport", transport},
      {"steps_per_epoch", 4},
      {"tensors", {"a"}}};
}

// Everything but gradients and averagings follows from the averagings.
json gossip(
    int64_t step,
    const std::vector<int>& gradients,
    const std::vector<int>& averagings) {
  json line = {
      {"type", "gossip"},
      {"step", step},
      {"gradients", gradients},
      {"averagings", averagings}};
  for (const int count : averagings) {
    line["staleness"].push_back(2 * count);
    line["staleness_most"].push_back(3);
    line["wait_seconds"].push_back(0.5 * count);
    line["wait_most"].push_back(1.5);
    line["pair_seconds"].push_back(0.25 * count);
    line["held_seconds"].push_back(0.125 * count);
  }
  return line;
}

json own_gossip(int64_t step, int rounds, int gradients, int averagings) {
  json line = gossip(step, {gradients}, {averagings});
  line["rounds"] = rounds;
  return line;
}

json membership(int64_t step, int worker, bool is_there) {
  return {
      {"type", "membership"},
      {"step", step},
      {"seconds", 0.5},
      {"worker", worker},
      {"is_there", is_there},
      {"why", is_there ? "linked" : "gone"}};
}

json own_step(int64_t step, int64_t round, double loss, double seconds) {
  return {
      {"type", "step"},
      {"step", step},
      {"round", round},
      {"epoch", step / 4},
      {"loss", {loss}},
      {"bytes", 10},
      {"messages", 1},
      {"degree", 1},
      {"lr", 0.5},
      {"seconds", seconds}};
}

json pairs(
    int64_t step,
    int worker,
    const std::vector<int>& peers,
    const std::vector<double>& seconds) {
  return {
      {"type", "pairs"},
      {"step", step},
      {"worker", worker},
      {"peers", peers},
      {"averagings", std::vector<int>(peers.size(), 10)},
      {"seconds", seconds}};
}

TEST_F(GossipRecords, ASlowLinkIsNamed) {
  make(4);
  for (int worker = 0; worker < 4; ++worker) {
    std::vector<double> last(2, 0.1);
    const std::vector<int> peers = {(worker + 1) % 4, (worker + 3) % 4};
    if (worker == 2) last[0] = 4;
    if (worker == 3) last[1] = 6;
    json second_life = attempt({worker}, "gloo");
    second_life["attempt"] = 1;
    second_life["step"] = 4;
    write(
        worker,
        {attempt({worker}, "gloo"),
         pairs(1, worker, peers, {0.01, 0.01}),
         pairs(3, worker, peers, {0.1, 0.1}), // added up so far
         second_life,
         pairs(5, worker, peers, last),
         own_gossip(5, 5, 10, 20)});
  }
  const RunData data = read();
  ASSERT_TRUE(data.gossip);
  ASSERT_EQ(data.gossip->slow_links.size(), 1u);
  const GossipLink& link = data.gossip->slow_links[0];
  EXPECT_EQ(link.a, 2);
  EXPECT_EQ(link.b, 3);
  EXPECT_EQ(link.averagings, 40);
  EXPECT_NEAR(link.pair, (4 + 6 + 0.2) / 40, 1e-12);
  EXPECT_NEAR(link.ratio, link.pair / 0.01, 1e-9);
  bool is_said = false;
  for (const std::string& sentence : data.gossip->sentences)
    is_said = is_said || sentence.find("workers 2 and 3") != std::string::npos;
  EXPECT_TRUE(is_said);
}

TEST_F(GossipRecords, VirtualRun) {
  make(2, "compute = \"20ms\"\n");
  json first_step = own_step(0, 0, 1, 1);
  first_step.erase("round");
  json second_step = first_step;
  second_step["step"] = 2;
  second_step["virtual_seconds"] = 4;
  write(
      0,
      {attempt({0, 1}, "virtual"),
       first_step,
       gossip(0, {1, 1}, {0, 1}),
       second_step,
       gossip(2, {2, 4}, {3, 4}),
       // A resumed virtual run goes on counting.
       attempt({0, 1}, "virtual"),
       gossip(4, {3, 7}, {3, 9})});
  const RunData run = read();
  ASSERT_TRUE(run.gossip);
  const Gossip& found = *run.gossip;
  EXPECT_EQ(found.asked_rate, 1);
  EXPECT_TRUE(found.has_clock);
  ASSERT_EQ(found.workers.size(), 2u);
  EXPECT_EQ(found.workers[1].gradients, 7);
  EXPECT_EQ(found.workers[1].averagings, 9);
  EXPECT_EQ(found.workers[1].wait, 0.5);
  EXPECT_EQ(found.workers[1].pair, 0.25);
  EXPECT_EQ(found.workers[1].staleness, 2);
  EXPECT_EQ(found.workers[1].held_seconds, 1.125);
  EXPECT_EQ(found.all.gradients, 10);
  EXPECT_EQ(found.all.rate, 1.2);
  EXPECT_EQ(found.all.wait_most, 1.5);
  EXPECT_TRUE(found.members.empty());
  const Curves& curves = run.curves.at("gossip");
  EXPECT_EQ(curves.axis.step, (std::vector<int64_t>{0, 2, 4}));
  EXPECT_EQ(curves.axis["virtual_seconds"][1], 4);
  EXPECT_EQ(curves["rate"].mean, (Column{0.5, 6 / 4.0, 5 / 4.0}));
  EXPECT_EQ(curves["wait"].mean, (Column{0.5, 0.5, 0.5}));
}

TEST_F(GossipRecords, TimesAreInGradientsWithoutAClock) {
  make(2);
  write(0, {attempt({0, 1}, "virtual"), gossip(0, {1, 1}, {1, 1})});
  EXPECT_FALSE(read().gossip->has_clock);
}

// Worker 0 is three times as fast as worker 1: by rounds their lines fall into
// one order, bytes and seconds add up, and an epoch is one of the run.
TEST_F(GossipRecords, WorkersWithStepsOfTheirOwn) {
  make(2);
  std::vector<json> fast = {attempt({0}, "gloo")};
  std::vector<json> slow = {attempt({1}, "gloo")};
  for (int i = 0; i < 12; ++i) {
    fast.push_back(own_step(i, 2 * i / 3, 1, 1 + i));
    if (i < 4) slow.push_back(own_step(i, 2 * i + 1, 3, 3 + 3 * i));
  }
  fast.push_back(own_gossip(11, 8, 12, 12));
  slow.push_back(own_gossip(3, 8, 4, 4));
  fast.push_back(
      {{"type", "evaluation"},
       {"step", 7},
       {"epoch", 1},
       {"test_accuracy", {0.75, 0.5}}});
  write(0, fast);
  write(1, slow);
  const RunData run = read();
  EXPECT_EQ(run.steps, 8);
  EXPECT_EQ(run.steps_per_epoch, 4);
  const Axis& axis = run.curves.at("steps").axis;
  EXPECT_EQ(axis.step, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(axis.epoch.back(), 2);
  EXPECT_EQ(axis["bytes"].back(), 80); // 16 gradients of 10 bytes, 2 workers
  EXPECT_EQ(axis["seconds"], (Column{2, 3, 5, 6, 8, 9, 11, 12}));
  EXPECT_EQ(run.curves.at("steps")["loss"].mean[1], 2); // one gradient of each
  ASSERT_EQ(run.milestones.size(), 1u);
  EXPECT_EQ(run.milestones[0].epoch, 2);
  EXPECT_EQ(run.milestones[0].bytes, 80);
  EXPECT_EQ(run.milestones[0].seconds, 12);
  EXPECT_EQ(run.gossip->workers[0].gradients, 12);
  EXPECT_EQ(run.gossip->workers[1].gradients, 4);
}

// Each sketches its own replica; rounds 0 and 2.
TEST_F(GossipRecords, DistancesOfReplicasFromSketches) {
  make(2);
  const auto sketched = [](int64_t step, double rounds, double value) {
    json line = own_gossip(step, 0, 1, 1);
    line["rounds"] = rounds;
    line["sketch"] = {{value, 1.0}};
    return line;
  };
  write(0, {attempt({0}, "gloo"), sketched(0, 0.5, 1), sketched(3, 2.5, 3)});
  write(1, {attempt({1}, "gloo"), sketched(0, 0.5, -1), sketched(1, 2.5, 7)});
  const Curves probes = read().curves.at("probes");
  EXPECT_EQ(probes.axis.step, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(probes["consensus_distance"].mean, (Column{1, 4}));
  EXPECT_TRUE(std::isnan(probes["gradient_norm"].mean[0]));
}

// Norms that both wrote in one round belong together, though worker 0 had done
// more gradients by then.
TEST_F(GossipRecords, NormsByRounds) {
  make(2);
  const auto norms = [](int64_t step, int64_t round, double norm) {
    return json{
        {"type", "norms"},
        {"step", step},
        {"round", round},
        {"norms", {{norm}}}};
  };
  write(0, {attempt({0}, "gloo"), own_step(0, 0, 1, 1), norms(7, 4, 3)});
  write(1, {attempt({1}, "gloo"), own_step(0, 0, 1, 1), norms(2, 4, 5)});
  const RunData run = read();
  ASSERT_TRUE(run.detail);
  ASSERT_EQ(run.detail->norms.size(), 1u);
  EXPECT_EQ(run.detail->norms[0].values, (std::vector<Column>{{3}, {5}}));
}

TEST_F(GossipRecords, ReplicasEvaluatedEachByItself) {
  make(2);
  const auto evaluated = [](int64_t step, int round, double accuracy) {
    return json{
        {"type", "replica_evaluation"},
        {"step", step},
        {"round", round},
        {"test_accuracy", accuracy},
        {"test_loss", 1}};
  };
  const json evaluation = {
      {"type", "evaluation"},
      {"step", 7},
      {"test_accuracy", {0.75, 0.75}}};
  write(
      0,
      {attempt({0}, "gloo"),
       own_step(0, 0, 1, 1),
       evaluated(3, 2, 0.25),
       own_step(9, 7, 1, 8),
       evaluated(9, 7, 0.125), // the end of it has an evaluation
       evaluation});
  write(1, {attempt({1}, "gloo"), evaluated(3, 4, 0.5)});
  const RunData run = read();
  EXPECT_EQ(
      run.curves.at("evaluations").axis.step,
      (std::vector<int64_t>{3, 7}));
  EXPECT_EQ(
      run.curves.at("evaluations")["accuracy"].mean,
      (Column{0.375, 0.75}));
  EXPECT_EQ(run.curves.at("evaluations")["accuracy"].low[0], 0.25);
  ASSERT_EQ(run.milestones.size(), 2u);
  EXPECT_EQ(run.milestones[0].step, 3);
  EXPECT_EQ(run.milestones[1].step, 7);
}

TEST_F(GossipRecords, LivesAddUpAndLossesAreCountedOnce) {
  make(3);
  write(
      0,
      {attempt({0}, "gloo"),
       membership(0, 1, true), // at first; no news
       membership(0, 2, true),
       own_gossip(0, 1, 10, 8),
       membership(3, 1, false),
       membership(4, 2, false),
       membership(5, 1, true),
       {{"type", "end"}, {"members", {0, 1}}, {"gradients", {12, 11, 5}}}});
  write(
      1,
      {attempt({1}, "gloo"),
       own_gossip(4, 2, 5, 4),
       attempt({1}, "gloo"), // its second life
       own_gossip(8, 4, 6, 3)});
  write(2, {attempt({2}, "gloo"), membership(1, 1, false)});
  const Gossip found = *read().gossip;
  EXPECT_EQ(found.workers[0].gradients, 12); // by the end
  EXPECT_EQ(found.workers[0].rate, 0.8);     // by what was recorded together
  EXPECT_EQ(found.workers[1].gradients, 11);
  EXPECT_EQ(found.workers[1].averagings, 7);
  EXPECT_EQ(found.workers[2].gradients, 5); // as the others knew it
  EXPECT_EQ(found.workers[1].lost, 1);      // which two have seen
  EXPECT_EQ(found.workers[1].came_back, 1);
  EXPECT_EQ(found.workers[2].lost, 1);
  EXPECT_EQ(found.workers[2].came_back, 0);
  EXPECT_EQ(found.all.lost, 2);
  EXPECT_EQ(found.members, (std::vector<int>{0, 1}));
  EXPECT_EQ(found.changes.size(), 4u);
  ASSERT_EQ(found.sentences.size(), 3u);
  EXPECT_TRUE(
      found.sentences[0].starts_with("The workers averaged 0.71 times"));
  EXPECT_EQ(
      found.sentences[1],
      "Lost: worker 1 once (back once) and worker 2 once (never to return).");
  EXPECT_EQ(found.sentences[2], "The final average is over 2 of 3 workers.");
}

TEST_F(GossipRecords, WhatIsOddIsLeftAlone) {
  make(2);
  json odd = gossip(1, {1, 2, 3, 4}, {1, 1, 1, 1});
  odd["wait_seconds"] = "long";
  odd["staleness"] = {nullptr, -1};
  write(
      0,
      {attempt({0, 1, -1, 7}, "virtual"),
       odd,
       {{"type", "membership"}, {"step", 1}, {"worker", 9}},
       {{"type", "end"}, {"members", "all"}, {"gradients", {1, 2, 3}}},
       {{"type", "replica_evaluation"}, {"step", 1}}});
  const RunData run = read();
  ASSERT_TRUE(run.gossip);
  EXPECT_EQ(run.gossip->workers.size(), 2u);
  EXPECT_EQ(run.gossip->all.gradients, 3);
  EXPECT_EQ(run.gossip->workers[1].staleness, 0);
  EXPECT_TRUE(run.gossip->changes.empty());
}

TEST_F(GossipRecords, OtherRunsHaveNone) {
  make(2);
  write(0, {attempt({0, 1}, "virtual"), own_step(0, 0, 1, 1)});
  EXPECT_FALSE(read().gossip);
}

TEST(GossipSentences, NameTheSlowAndTheRare) {
  Gossip found;
  found.asked_rate = 2;
  found.workers.resize(8, {.gradients = 100});
  found.workers[3].gradients = 34;
  found.all = {
      .gradients = 734,
      .averagings = 734,
      .rate = 1,
      .wait = 0.0125,
      .pair = 2};
  say_gossip(found);
  ASSERT_EQ(found.sentences.size(), 2u);
  EXPECT_EQ(
      found.sentences[0],
      "Below 0.75 of the median worker's 100 gradients: worker 3 (0.34).");
  EXPECT_EQ(
      found.sentences[1],
      "The workers averaged 1.00 times a gradient, not 2 times as asked for; "
      "one took 12.5 ms to find a partner and 2 s with it.");
  found.workers.assign(8, {.gradients = 100});
  found.workers[3].gradients = 76;
  found.all.rate = 1.9;
  say_gossip(found);
  EXPECT_TRUE(found.sentences.empty());
}

} // namespace
} // namespace grapevine::report
