#include "report/run_reader.h"
#include "base/error.h"
#include "record/dispersion.h"
#include "record/temporary_directory.h"
#include "report/detail_reader.h"
#include "report/run_generator.h"

#include <cmath>

namespace grapevine::report {
namespace {

using record::TemporaryDirectory;
using report::GeneratedRun;
using report::RunGenerator;

// A run of two processes with one worker each, written by hand.
class HandWritten : public testing::Test {
 protected:
  HandWritten() {
    run_.create();
    run_.write_spec("n = 2\nepochs = 2\n");
    run_.write_run({{"outcome", "running"}});
  }

  void write(int process, const std::string& lines) const {
    record::put(
        run_.records(process),
        "{\"type\":\"format\",\"format_version\":1}\n" + lines);
  }

  RunData read(ReadOptions options = {}) const {
    RunData data = read_header(run_.path());
    read_run(data, options);
    return data;
  }

  TemporaryDirectory directory_;
  record::RunDirectory run_{directory_ / "run"};
};

std::string attempt(int worker) {
  return "{\"type\":\"attempt\",\"attempt\":0,\"step\":0,\"workers\":[" +
         std::to_string(worker) + "],\"tensors\":[\"a\",\"b\"]}\n";
}

std::string step(int number, const std::string& rest) {
  return "{\"type\":\"step\",\"step\":" + std::to_string(number) + "," + rest +
         "}\n";
}

std::string waits(int worker, int step, const std::string& seconds) {
  return "{\"type\":\"waits\",\"worker\":" + std::to_string(worker) +
         ",\"step\":" + std::to_string(step) + ",\"seconds\":" + seconds +
         "}\n";
}

std::string spans(int step, const std::string& backward) {
  return R"({"type":"spans","step":)" + std::to_string(step) +
         R"(,"seconds":{"data":0.25,"forward":0.5,"update":0.25,"exchange":9,)" +
         R"("wait":9,"evaluate":9,"backward":)" + backward + "}}\n";
}

TEST_F(HandWritten, WaitsAndComputeOfEachWorker) {
  write(
      0,
      attempt(0) + step(0, R"("seconds":4)") + waits(0, 0, "[0,1.5]") +
          spans(0, "1") + step(1, R"("seconds":8)") +
          waits(0, 1, "[null,0.5]") + spans(1, "2"));
  write(1, attempt(1) + waits(1, 1, "[0,0]") + spans(1, "6"));
  const RunData data = read({.detail = true});
  ASSERT_TRUE(data.blame);
  EXPECT_EQ(data.blame->compute, (std::vector<double>{5, 7}));
  EXPECT_EQ(data.blame->seconds, 8);
  EXPECT_EQ(data.blame->mean_wait, 1);
  ASSERT_EQ(data.blame->waits.size(), 1u);
  EXPECT_EQ(data.blame->waits[0].worker, 0);
  EXPECT_EQ(data.blame->waits[0].peer, 1);
  EXPECT_EQ(data.blame->waits[0].seconds, 2);
  ASSERT_TRUE(data.blame->straggler);
  EXPECT_EQ(data.blame->straggler->worker, 1);
  EXPECT_TRUE(read({.detail = false}).blame->waits.empty());
}

TEST_F(HandWritten, VirtualWaitsAreOfTheVirtualClock) {
  const auto virtual_waits = [](int worker, const std::string& rest) {
    return R"({"type":"waits","step":1,"virtual":true,"worker":)" +
           std::to_string(worker) + "," + rest + "}\n";
  };
  // From between processes, where the run went on; they do not count.
  const std::string real =
      R"({"type":"waits","step":1,"worker":0,"seconds":[0,3]})"
      "\n";
  write(
      0,
      R"({"type":"attempt","attempt":0,"step":0,"workers":[0,1]})"
      "\n" +
          real + step(1, R"("seconds":4,"virtual_seconds":10)") +
          R"({"type":"virtual_spans","step":1,"seconds":{"exposed":0.5,)"
          R"("straggler":2.5}})"
          "\n" +
          virtual_waits(0, R"("compute":4,"peers":[1],"seconds":[6])") +
          virtual_waits(1, R"("compute":8,"peers":[],"seconds":[])") + real +
          spans(1, "1"));
  const RunData data = read({.detail = true});
  ASSERT_TRUE(data.blame);
  EXPECT_EQ(data.blame->compute, (std::vector<double>{4, 8}));
  EXPECT_EQ(data.blame->seconds, 10);
  ASSERT_EQ(data.blame->waits.size(), 1u);
  EXPECT_EQ(data.blame->waits[0].peer, 1);
  EXPECT_EQ(data.blame->waits[0].seconds, 6);
  ASSERT_TRUE(data.blame->losses);
  EXPECT_EQ(data.blame->losses->straggler, 2.5);
  ASSERT_TRUE(data.blame->straggler);
  EXPECT_EQ(data.blame->straggler->worker, 1);
  ASSERT_EQ(data.blame->sentences.size(), 2u);
  EXPECT_NE(
      data.blame->sentences[0].find("of the virtual time"),
      std::string::npos);
  EXPECT_NE(data.blame->sentences[1].find("5 %"), std::string::npos);
}

TEST_F(HandWritten, NoWaitsNoBlame) {
  write(0, attempt(0) + step(0, R"("seconds":4)") + spans(0, "1"));
  EXPECT_FALSE(read().blame);
}

TEST_F(HandWritten, ProcessesAddUp) {
  write(
      0,
      attempt(0) +
          step(
              0,
              R"("epoch":0,"bytes":100,"messages":1,"loss":[1],"degree":1,"lr":0.5,"seconds":2)") +
          step(
              1,
              R"("epoch":0,"bytes":300,"messages":3,"loss":[3],"degree":1,"lr":0.5,"seconds":4)") +
          R"({"type":"evaluation","epoch":0,"step":1,"test_accuracy":[0.5,0.7],"test_loss":[1,null],"averaged_model_accuracy":0.65})"
          "\n" +
          step(
              2,
              R"("epoch":1,"bytes":100,"messages":1,"loss":[null],"degree":3,"lr":0.25,"seconds":6)"));
  write(
      1,
      attempt(1) + step(0, R"("epoch":0,"bytes":100,"messages":1,"loss":[2])") +
          step(1, R"("epoch":0,"bytes":100,"messages":1,"loss":[5])") +
          step(2, R"("epoch":1,"bytes":300,"messages":3,"loss":[7])"));
  const RunData run = read();
  EXPECT_EQ(run.steps, 3);
  EXPECT_EQ(run.steps_per_epoch, 2);
  EXPECT_EQ(run.broken_lines, 0);
  const Curves& curves = run.curves.at("steps");
  EXPECT_EQ(curves.axis.step, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(curves.axis.epoch, (Column{0.5, 1, 1.5}));
  EXPECT_EQ(curves.axis["bytes"], (Column{100, 300, 500})); // a worker's
  EXPECT_EQ(curves.axis["messages"], (Column{1, 3, 5}));
  EXPECT_EQ(curves.axis["seconds"], (Column{2, 4, 6}));
  EXPECT_TRUE(curves.axis["virtual_seconds"].empty());
  EXPECT_EQ(curves["loss"].mean, (Column{1.5, 4, 7}));
  EXPECT_EQ(curves["loss"].low, (Column{1, 3, 7}));
  EXPECT_EQ(curves["loss"].high, (Column{2, 5, 7}));
  EXPECT_EQ(curves["lr"].mean, (Column{0.5, 0.5, 0.25}));
  EXPECT_NEAR(run.mean_degree, 5.0 / 3, 1e-12);
  ASSERT_EQ(run.degrees.size(), 2u);
  EXPECT_EQ(run.degrees[1].step, 2);
  EXPECT_EQ(run.degrees[1].degree, 3);

  const Curves& evaluations = run.curves.at("evaluations");
  EXPECT_EQ(evaluations.axis.epoch, Column{1});
  EXPECT_EQ(evaluations.axis["bytes"], Column{300});
  EXPECT_NEAR(evaluations["accuracy"].mean[0], 0.6, 1e-12);
  EXPECT_EQ(evaluations["accuracy"].low[0], 0.5);
  EXPECT_EQ(evaluations["loss"].mean[0], 1); // null is left out
  EXPECT_TRUE(std::isnan(evaluations["averaged_loss"].mean[0]));
  ASSERT_EQ(run.milestones.size(), 1u);
  EXPECT_EQ(run.milestones[0].bytes, 300);
  EXPECT_EQ(run.milestones[0].epoch, 1);
  EXPECT_EQ(run.milestones[0].seconds, 4);
}

TEST_F(HandWritten, SupersededLinesDoNotCount) {
  write(
      0,
      attempt(0) + step(0, R"("bytes":10,"loss":[1])") +
          step(1, R"("bytes":10,"loss":[9])") +
          R"({"type":"attempt","attempt":1,"step":1,"workers":[0]})"
          "\n" +
          step(1, R"("bytes":10,"loss":[2])"));
  const RunData run = read();
  EXPECT_EQ(run.curves.at("steps")["loss"].mean, (Column{1, 2}));
  EXPECT_EQ(run.curves.at("steps").axis["bytes"], (Column{5, 10}));
}

TEST_F(HandWritten, OnlyBetterEvaluationsAreMilestones) {
  std::string lines = attempt(0);
  const std::vector<std::string> accuracies =
      {"0.2", "0.5", "0.4", "0.5", "0.6"};
  for (size_t i = 0; i < accuracies.size(); ++i) {
    lines += step(static_cast<int>(i), "\"loss\":[1]");
    lines += "{\"type\":\"evaluation\",\"step\":" + std::to_string(i) +
             ",\"test_accuracy\":[" + accuracies[i] + "]}\n";
  }
  write(0, lines);
  const RunData run = read();
  ASSERT_EQ(run.milestones.size(), 3u);
  EXPECT_EQ(run.milestones[0].step, 0);
  EXPECT_EQ(run.milestones[1].step, 1);
  EXPECT_EQ(run.milestones[2].step, 4);
}

// Thirds of 9 steps; two tensors, one value of which is null.
TEST_F(HandWritten, PhasesAndFirstGini) {
  std::string lines = attempt(0);
  for (int i = 0; i < 9; ++i) {
    lines += step(i, "\"loss\":[1],\"epoch\":" + std::to_string(i / 5));
    lines += "{\"type\":\"dispersion\",\"step\":" + std::to_string(i) +
             ",\"epoch\":" + std::to_string(i / 5) + ",\"gini\":[" +
             std::to_string(i) + "," + (i == 0 ? "null" : "10") +
             "],\"consensus_distance\":0.5}\n";
  }
  write(0, lines);
  const RunData run = read();
  const Phases& gini = run.dispersion.at(0);
  EXPECT_EQ(gini.metric, "gini");
  EXPECT_NEAR(gini.mean[1], (0 + 1 + 2 + 10 + 10) / 5.0, 1e-12);
  EXPECT_NEAR(gini.mean[2], (3 + 4 + 5 + 30) / 6.0, 1e-12);
  EXPECT_NEAR(gini.mean[3], (6 + 7 + 8 + 30) / 6.0, 1e-12);
  EXPECT_NEAR(gini.mean[0], (36 + 80) / 17.0, 1e-12);
  EXPECT_NEAR(run.first_gini, (0 + 1 + 2 + 3 + 4) / 5.0, 1e-12);
  EXPECT_TRUE(std::isnan(run.dispersion.at(1).mean[0])); // an old run lacks it
}

TEST_F(HandWritten, WhatIsCutOrOddIsSkipped) {
  write(
      0,
      attempt(0) + step(0, R"("loss":[1])") + "{\"type\":\"step\",\"st\n" +
          "not json\n" +
          R"({"type":"step","step":"one","loss":[4]})"
          "\n" +
          R"({"type":"step","step":-3,"loss":[4]})"
          "\n" +
          R"({"type":"step","step":1,"loss":{"a":1},"bytes":"many"})"
          "\n" +
          R"({"type":"norms","step":1,"norms":[[1],2,"x",[1,2,3]]})"
          "\n" +
          R"({"type":"dispersion","step":1,"gini":"none"})"
          "\n" +
          R"({"type":"spans","epoch":0,"seconds":[1]})"
          "\n" +
          R"({"type":"from the future","step":1})"
          "\n" +
          R"({"type":"step","step":2,"lo)");
  const RunData run = read({.detail = true});
  EXPECT_EQ(run.broken_lines, 3);
  EXPECT_EQ(run.steps, 2);
  EXPECT_EQ(
      run.curves.at("steps")["loss"].mean[0],
      2.5); // "one" stands at step 0
  EXPECT_TRUE(std::isnan(run.curves.at("steps")["loss"].mean[1]));
}

TEST_F(HandWritten, NoRecordsAtAll) {
  const RunData run = read({.detail = true});
  EXPECT_EQ(run.steps, 0);
  EXPECT_TRUE(run.curves.at("steps").axis.step.empty());
  EXPECT_FALSE(run.detail);
  EXPECT_FALSE(run.counts());
}

TEST_F(HandWritten, DensityOfAdaAuto) {
  write(
      0,
      attempt(0) + step(0, R"("loss":[1])") +
          R"({"type":"density","step":0,"spread":0.5,"level":null,"k":8})"
          "\n" +
          R"({"type":"density","step":4,"spread":0.25,"level":0.1,"k":6})"
          "\n");
  const RunData run = read();
  const Curves& density = run.curves.at("density");
  EXPECT_EQ(density.axis.step, (std::vector<int64_t>{0, 4}));
  EXPECT_TRUE(std::isnan(density["level"].mean[0]));
  EXPECT_EQ(density["k"].mean, (Column{8, 6}));
}

TEST_F(HandWritten, AnotherVersionOfRecordsIsRefused) {
  record::put(run_.records(0), "{\"type\":\"format\",\"format_version\":2}\n");
  EXPECT_THROW(read(), IoError);
}

// Replica 3 of 5 stands out in the first tensor, from step 1 on.
TEST(Detail, FindsWhoStandsOut) {
  std::map<int64_t, NormMatrix> norms;
  for (int64_t step = 0; step < 4; ++step) {
    for (int replica = 0; replica < 5; ++replica) {
      const float plain = 1 + 0.01F * static_cast<float>(replica);
      norms[step].push_back(replica == 3 && step > 0 ? 9 : plain);
      norms[step].push_back(plain);
    }
  }
  const auto outliers = find_outliers(norms, {"a", "b"}, 5, 10);
  ASSERT_EQ(outliers.size(), 1u);
  EXPECT_EQ(outliers[0].tensor, "a");
  EXPECT_EQ(outliers[0].replica, 3);
  EXPECT_EQ(outliers[0].share, 0.75);
  EXPECT_GT(outliers[0].z, 3.5);
}

TEST(Detail, ChosenNormsStayInTheirBudget) {
  std::map<int64_t, NormMatrix> norms;
  constexpr int kReplicas = 200;
  const std::vector<std::string> tensors(30, "t");
  for (int64_t step = 0; step < 100; ++step) {
    norms[step].assign(kReplicas * tensors.size(), static_cast<float>(step));
  }
  for (const int64_t budget : {10'000, 50'000, 1'000'000}) {
    int64_t numbers = 0;
    for (const auto& chosen :
         choose_norms(norms, tensors, kReplicas, {}, budget)) {
      ASSERT_EQ(chosen.values.size(), chosen.replicas.size());
      for (const Column& column : chosen.values) {
        ASSERT_EQ(column.size(), chosen.step.size());
        EXPECT_EQ(column.back(), 99); // both ends are kept
        EXPECT_EQ(column.front(), 0);
        numbers += static_cast<int64_t>(column.size());
      }
    }
    EXPECT_LE(numbers, budget);
    EXPECT_GT(numbers, 0);
  }
}

TEST(Detail, AnOutlierIsAlwaysAmongThoseShown) {
  std::map<int64_t, NormMatrix> norms;
  for (int64_t step = 0; step < 50; ++step)
    norms[step].assign(500, 1);
  const auto chosen = choose_norms(norms, {"a"}, 500, {{"a", 333, 1, 9}}, 2000);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(std::ranges::count(chosen[0].replicas, 333), 1);
}

class Generated : public testing::Test {
 protected:
  RunData read(const GeneratedRun& options, const ReadOptions& read) {
    const auto path = directory_ / "run";
    std::filesystem::remove_all(path);
    RunGenerator(path, options).write();
    RunData run = read_header(path);
    read_run(run, read);
    return run;
  }
  TemporaryDirectory directory_;
};

TEST_F(Generated, DetailHasAValueForEveryTensorAndReplica) {
  const RunData run =
      read({.n = 6, .steps = 60, .probe_every = 5}, {.detail = true});
  ASSERT_TRUE(run.detail);
  const Detail& detail = *run.detail;
  EXPECT_EQ(detail.tensors.size(), 4u);
  EXPECT_EQ(detail.step.size(), 12u);
  EXPECT_EQ(detail.epoch.size(), 12u);
  EXPECT_EQ(detail.heat.size(), record::metric_table().size() + 2);
  for (const Heat& heat : detail.heat) {
    ASSERT_EQ(heat.rows.size(), 4u) << heat.name;
    for (const Column& row : heat.rows)
      EXPECT_EQ(row.size(), 12u);
  }
  ASSERT_EQ(detail.norms.size(), 4u);
  for (const TensorNorms& norms : detail.norms) {
    EXPECT_EQ(norms.replicas.size(), 6u);
    EXPECT_EQ(norms.values[5].size(), 12u);
    for (const double value : norms.values[5])
      EXPECT_NEAR(value, 3, 0.1);
  }
}

// The whole against the down-sampled: same ends, same extremes.
TEST_F(Generated, DownSamplingKeepsEndsAndExtremes) {
  GeneratedRun options{.steps = 5000, .steps_per_epoch = 500, .probe_every = 7};
  const RunData fine = read(options, {.points = 4096});
  const RunData coarse = read(options, {.points = 40});
  const auto extremes = [](const Band& band) {
    return std::pair(
        *std::ranges::min_element(band.low),
        *std::ranges::max_element(band.high));
  };
  EXPECT_LE(coarse.curves.at("steps").axis.step.size(), 40u);
  EXPECT_EQ(
      extremes(fine.curves.at("steps")["loss"]),
      extremes(coarse.curves.at("steps")["loss"]));
  EXPECT_EQ(
      extremes(fine.curves.at("probes")["gini"]),
      extremes(coarse.curves.at("probes")["gini"]));
  EXPECT_EQ(coarse.curves.at("steps").axis.step.back(), 4999);
  EXPECT_EQ(coarse.curves.at("steps").axis["bytes"].back(), 2000.0 * 5000);
  EXPECT_EQ(coarse.curves.at("steps").axis.epoch.back(), 10);
  EXPECT_EQ(coarse.curves.at("evaluations").axis.step.size(), 10u);
  EXPECT_EQ(fine.mean_degree, coarse.mean_degree);
}

} // namespace
} // namespace grapevine::report
