// How long a large report takes: writes RUNS runs with LINES lines in all to
// DIRECTORY (unless they are there) and reports on them.
//
//   big_report DIRECTORY RUNS LINES [WORKERS]
//
// One line of JSON: seconds, peak memory, size of the page's data. With RUNS 0
// it reports on what DIRECTORY holds.
#include "record/atomic_file.h"
#include "report/csv.h"
#include "report/report.h"
#include "report/run_generator.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

namespace fs = std::filesystem;
using namespace grapevine;

constexpr std::array kPresets =
    {"c-complete", "d-complete", "ada", "d-exponential", "d-torus", "d-ring"};

void generate(const fs::path& directory, int runs, int64_t lines, int workers) {
  for (int i = 0; i < runs; ++i) {
    report::GeneratedRun options;
    options.preset = kPresets.at(i % kPresets.size());
    options.seed = 1 + i / kPresets.size() % 10;
    options.n = workers;
    options.flags = {
        {"lr", fmt::format("{}", 0.01 * (1 + i / kPresets.size() / 10))}};
    options.steps = lines / runs;
    options.steps_per_epoch = std::max<int64_t>(options.steps / 10, 1);
    options.accuracy = 0.85 - 0.01 * static_cast<double>(i % kPresets.size());
    options.spread = 1e-4 * static_cast<double>(1 + i % kPresets.size());
    options.probe_every = std::max<int64_t>(options.steps / 400, 5);
    report::RunGenerator(directory / fmt::format("run-{:04}", i), options)
        .write();
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fputs("big_report DIRECTORY RUNS LINES [WORKERS]\n", stderr);
    return 2;
  }
  const fs::path directory = words[1];
  const int runs = std::atoi(words[2]);
  if (runs > 0 && !fs::exists(directory)) {
    generate(
        directory,
        runs,
        std::atoll(words[3]),
        count > 4 ? std::atoi(words[4]) : 8);
  }
  const auto start = std::chrono::steady_clock::now();
  const report::ReportResult result = report::write_report({directory}, {});
  const double read = seconds_since(start);
  const std::string data = report::page_data(result.data);
  const double all = seconds_since(start);
  report::write_csv(result.data, directory / "csv");
  record::write_atomically(directory / "data.json", data);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"runs\":{},\"skipped\":{},\"read_seconds\":{:.2f},\"seconds\":{:.2f},"
      "\"peak_mb\":{},\"data_mb\":{:.2f},\"points\":{}}}\n",
      result.data.set.runs.size(),
      result.data.set.skipped.size(),
      read,
      all,
      usage.ru_maxrss / 1024,
      static_cast<double>(data.size()) / 1e6,
      result.data.set.budget.points);
  for (const std::string& text : result.data.analysis.findings)
    fmt::print("{}\n", text);
  for (const std::string& text : result.data.set.notes)
    fmt::print("note: {}\n", text);
  for (const auto& skipped : result.data.set.skipped)
    fmt::print("skipped: {}: {}\n", skipped.path, skipped.why);
  return 0;
}
