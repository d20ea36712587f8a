// Who may use a run's directory, and what a finished run answers.
#include "system/long_run.h"

namespace grapevine::system {
namespace {

Words tiny_run(const std::string& out) {
  return small_run("d-ring", out) + "-n 2 --threads 1";
}

TEST(RunDirectory, FinishedRunPrintsItsStoredResult) {
  const cli::Scratch scratch;
  const Words words = tiny_run(scratch.file("run"));
  const auto first = result_of(cli::grapevine(words));
  const auto written =
      std::filesystem::last_write_time(scratch.file("run/run.json"));
  EXPECT_EQ(result_of(cli::grapevine(words)), first);
  EXPECT_EQ(
      std::filesystem::last_write_time(scratch.file("run/run.json")),
      written)
      << "trained again";
  // Another transport does not make it another run.
  EXPECT_EQ(
      result_of(over_gloo(2, small_run("d-ring", scratch.file("run")))),
      first);

  const auto again = result_of(cli::grapevine(words + "--fresh"));
  EXPECT_NE(again["seconds"], first["seconds"]) << "not trained again";
  expect_same_run(again, first);
  EXPECT_EQ(result_of(cli::grapevine(words)), again);
}

TEST(RunDirectory, AnotherSpecIsRefused) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  result_of(cli::grapevine(tiny_run(out)));
  const Words other = tiny_run(out) + "--lr 0.07";
  expect_clear_failure(
      cli::grapevine(other),
      2,
      {out, "lr", "0.05", "0.07", "--fresh"});
  EXPECT_EQ(result_of(cli::grapevine(other + "--fresh"))["steps"], 7);
}

TEST(RunDirectory, TwoProcessesAtOnce) {
  const cli::Scratch scratch;
  const std::string out = scratch.file("run");
  Process first(alone(long_virtual_run(out)));
  wait_for_checkpoint(first, out, 1);
  // Held still: what matters is that it is there.
  first.signal(SIGSTOP);
  const Words words = long_virtual_run(out);
  expect_clear_failure(cli::grapevine(words), 2, {"another process", out});
  expect_clear_failure(
      cli::grapevine(words + "--fresh"),
      2,
      {"another process", out});
  first.signal(SIGCONT);
  expect_unbroken_result(first.wait());
}

TEST(RunDirectory, AFileIsRefused) {
  const cli::Scratch scratch;
  const std::string file = scratch.write("file", "precious");
  expect_clear_failure(cli::grapevine(tiny_run(file)), 2, {file, "directory"});
  EXPECT_EQ(cli::read_text(file), "precious");
  expect_clear_failure(
      cli::grapevine(tiny_run(file + "/run")),
      2,
      {file, "directory"});
}

TEST(RunDirectory, AForeignDirectoryIsRefused) {
  const cli::Scratch scratch;
  const std::string file = scratch.write("thesis.tex", "precious");
  const std::string directory = scratch.path().string();
  for (const Words& more : {Words{}, split("--fresh")}) {
    expect_clear_failure(
        cli::grapevine(tiny_run(directory) + more),
        2,
        {directory, "thesis.tex"});
  }
  EXPECT_EQ(cli::read_text(file), "precious");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("records")));
}

// Over processes too the exit code is 2, whichever of them ends first.
void expect_refused_by_all(const Words& words, const std::string& message) {
  Process process(under_launch(2, words + "--deadline 300"));
  const cli::Answer answer = process.wait();
  EXPECT_EQ(answer.exit_code, 2) << answer.error;
  EXPECT_TRUE(cli::contains(answer.error, message)) << answer.error;
  EXPECT_FALSE(cli::contains(answer.error, "exited with 1")) << answer.error;
  EXPECT_FALSE(cli::contains(answer.error, "Connection")) << answer.error;
}

TEST(RunDirectory, IsRefusedByAllWorkersAlike) {
  const cli::Scratch scratch;
  scratch.write("thesis.tex", "precious");
  expect_refused_by_all(
      small_run("d-ring", scratch.path().string()),
      "thesis.tex");
  const std::string out = scratch.file("run");
  result_of(cli::grapevine(tiny_run(out)));
  expect_refused_by_all(small_run("d-ring", out) + "--lr 0.07", "0.07");
}

TEST(RunDirectory, WhereNothingCanBeWritten) {
  // Root may write anywhere but there.
  expect_clear_failure(
      cli::grapevine(tiny_run("/proc/grapevine-run")),
      1,
      {"/proc/grapevine-run"});
}

} // namespace
} // namespace grapevine::system
