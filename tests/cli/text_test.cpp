// The parts of the program that need no process: tables, units, progress,
// reports.
#include "cli/console.h"
#include "cli/progress.h"
#include "cli/report_text.h"
#include "cli/run_summary.h"
#include "cli/run_text.h"
#include "cli/some_progress.h"
#include "cli/table.h"
#include "cli/units.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <regex>

namespace grapevine::cli {
namespace {

TEST(Table, AlignsTextLeftAndNumbersRight) {
  Table table({"name", "size"});
  table.add_row({"a", "10"});
  table.add_row({"größer", "5"});
  EXPECT_EQ(table.text(), "name    size\na         10\ngrößer     5\n");
}

TEST(Table, ShortRowsAndIndent) {
  Table table;
  table.add_row({"a", "b"});
  table.add_row({"longer"});
  EXPECT_EQ(table.text(2), "  a       b\n  longer\n");
}

// What one write puts into such a socket, one read takes out of it.
TEST(Console, ALineIsOneWrite) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const int before = dup(STDERR_FILENO);
  dup2(ends[0], STDERR_FILENO);
  print_line("worker 1: disk full");
  print_line("has its own\n");
  dup2(before, STDERR_FILENO);
  for (const std::string_view line :
       {"worker 1: disk full\n", "has its own\n"}) {
    char got[80];
    const ssize_t size = recv(ends[1], got, sizeof(got), MSG_DONTWAIT);
    ASSERT_GT(size, 0);
    EXPECT_EQ(std::string_view(got, size), line);
  }
  for (const int end : {ends[0], ends[1], before})
    close(end);
}

TEST(Units, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1250), "1.25 kB");
  EXPECT_EQ(human_bytes(25.2e6), "25.2 MB");
  EXPECT_EQ(human_bytes(999.96e6), "1.00 GB");
}

TEST(Units, Others) {
  EXPECT_EQ(human_count(42), "42");
  EXPECT_EQ(human_count(24300), "24.3 k");
  EXPECT_EQ(human_seconds(0.42), "0.4 s");
  EXPECT_EQ(human_seconds(42.4), "42 s");
  EXPECT_EQ(human_seconds(187), "3:07");
  EXPECT_EQ(human_seconds(7500), "2:05:00");
  EXPECT_EQ(human_percent(0.8312), "83.12 %");
  EXPECT_EQ(human_percent(std::nan("")), "–");
  EXPECT_EQ(human_number(INFINITY), "–");
  EXPECT_EQ(quality_text(0.831, std::nullopt), "accuracy 83.10 %");
  EXPECT_EQ(quality_text(0.5, 6.7312), "perplexity 6.731");
}

TEST(ResultSummary, SaysOnHowManySamplesAndWhichRate) {
  run::TrainResult result;
  result.test_accuracy = 0.8;
  result.averaged_model_accuracy = 0.7864;
  std::string text = result_summary(result);
  EXPECT_TRUE(text.find("80.00 % (mean over replicas)\n") != text.npos) << text;
  EXPECT_TRUE(text.find("averagings") == text.npos) << text;
  result.replica_samples = 1000;
  result.averaged_model_samples = 10000;
  result.averagings_per_gradient = 0.171;
  result.asked_rate = 1;
  for (const auto& it : {result, run::result_from_json(run::to_json(result))}) {
    text = result_summary(it);
    for (const char* part :
         {"80.00 % (mean over replicas, on 1000 of 10000 samples)\n",
          "averagings a gradient  0.17 of 1 asked for\n"}) {
      EXPECT_TRUE(text.find(part) != text.npos) << part << " in " << text;
    }
  }
}

TEST(Progress, SaysWhatAPersonWantsToKnow) {
  EXPECT_EQ(
      progress_line("ada", some_progress()),
      "ada  epoch 3/8  step 57/152  loss 0.5  accuracy 83.10 %  degree 2  "
      "24.3 k samples/s  12 s left");
}

TEST(Progress, OfALanguageModel) {
  run::Progress progress = some_progress();
  progress.test_perplexity = 6.5;
  EXPECT_EQ(
      progress_line("", progress),
      "epoch 3/8  step 57/152  loss 0.5  perplexity 6.5  degree 2  "
      "24.3 k samples/s  12 s left");
}

TEST(SummaryTable, PerplexityWhereThereIsOne) {
  std::vector<RunSummary> runs(2);
  runs[0].result.test_accuracy = 0.5;
  runs[1].result.test_accuracy = 0.6;
  EXPECT_EQ(
      summary_table(runs, {"seed"}).find("perplexity"),
      std::string::npos);
  runs[0].result.test_perplexity = 6;
  runs[0].result.averaged_model_perplexity = 5;
  runs[1].result.test_perplexity = 7;
  runs[1].result.averaged_model_perplexity = 5;
  const std::string text = summary_table(runs, {"seed"});
  EXPECT_NE(text.find("perplexity"), std::string::npos) << text;
  EXPECT_NE(text.find("6.500 ± 0.707"), std::string::npos) << text;
  EXPECT_NE(text.find("5.000 ± 0.000"), std::string::npos) << text;
  EXPECT_NE(text.find("55.00 ± 7.07"), std::string::npos) << text;
}

TEST(Progress, BarTakesTheRoomThatIsLeft) {
  const run::Progress progress = some_progress();
  for (const int width : {20, 60, 80, 100, 200}) {
    EXPECT_LE(display_width(progress_bar("", progress, width)), width);
  }
  EXPECT_EQ(
      progress_bar("", progress, 90),
      "epoch 3/8  ██░░░░░  38%  loss 0.5  accuracy 83.10 %  degree 2  "
      "24.3 k samples/s  12 s left");
  // What a narrow terminal does without, the time that is left last of all.
  EXPECT_EQ(
      progress_bar("", progress, 79),
      "epoch 3/8  ██░░░░  38%  loss 0.5  accuracy 83.10 %  24.3 k samples/s  "
      "12 s left");
  EXPECT_EQ(
      progress_bar("", progress, 50),
      "epoch 3/8  ████░░░░░░░░░  38%  loss 0.5  12 s left");
  EXPECT_EQ(progress_bar("", progress, 16), "epoch 3/8  38%  ");
}

TEST(ReportText, SaysWhoIsToBlame) {
  report::ReportData data;
  data.set.runs.resize(3);
  data.set.runs[1].name = "b";
  data.set.runs[1].blame.emplace();
  EXPECT_EQ(report_text(data), "");
  data.set.runs[2].name = "c";
  data.set.runs[2].blame.emplace().sentences = {"Worker 1.", "Link 2."};
  EXPECT_EQ(report_text(data), "\nWaits\n  c: Worker 1.\n  c: Link 2.\n");
}

TEST(ReportText, AsynchronousRuns) {
  report::ReportData data;
  data.set.runs.resize(2);
  data.set.grouping.labels = {"ring seed 1", "a2cid2 seed 1"};
  data.set.runs[1].name = "b";
  report::Gossip& gossip = data.set.runs[1].gossip.emplace();
  gossip.asked_rate = 1;
  gossip.workers = {
      {.gradients = 12,
       .averagings = 12,
       .rate = 1,
       .staleness = 1.5,
       .staleness_most = 3,
       .wait = 0.0025,
       .wait_most = 2},
      {.gradients = 4, .averagings = 3, .rate = 0.75, .lost = 1}};
  gossip.all = gossip.workers[0];
  gossip.all.lost = 1;
  gossip.members = {0};
  gossip.sentences = {"Lost: worker 1."};
  // Columns are as wide as their widest cell.
  const std::string text =
      std::regex_replace(report_text(data), std::regex(" {2,}"), "  ");
  for (const char* part :
       {"a2cid2 seed 1  4 to 12",
        "2.5 ms  2 s",
        "1, 0 back",
        "1 of 2",
        "0.75  –",
        "  b: Lost: worker 1.\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("ring seed 1"), std::string::npos);
  gossip.has_clock = false;
  EXPECT_NE(report_text(data).find("0.0025 gr"), std::string::npos);
}

} // namespace
} // namespace grapevine::cli
