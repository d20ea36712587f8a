#include "base/error.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/run_argument.h"
#include "cli/run_summary.h"
#include "cli/verb.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace grapevine::cli {
namespace {

namespace fs = std::filesystem;

// A run, or the runs in a directory of runs, by name.
std::vector<record::RunDirectory> runs_at(const std::string& path) {
  if (record::RunDirectory(path).exists() || !fs::is_directory(path)) {
    return {run_argument(path)};
  }
  std::vector<fs::path> children;
  for (const fs::directory_entry& child : fs::directory_iterator(path)) {
    if (record::RunDirectory(child.path()).exists()) {
      children.push_back(child.path());
    }
  }
  if (children.empty()) {
    throw ConfigError(fmt::format("{}: no run in this directory", path));
  }
  std::sort(children.begin(), children.end());
  return {children.begin(), children.end()};
}

// A preset says what its agreement and optimizer are.
bool is_implied(const std::string& key, const std::vector<RunSummary>& runs) {
  if (key != "agreement" && key != "optimizer") return false;
  return std::all_of(runs.begin(), runs.end(), [](const RunSummary& run) {
    return !run.spec.preset.empty();
  });
}

// Keys that decide the result and differ between the runs.
std::vector<std::string> differences(const std::vector<RunSummary>& runs) {
  std::vector<std::string> keys;
  for (const spec::SpecEntry& entry : spec::spec_table()) {
    if (!entry.decides_result || is_implied(entry.key, runs)) continue;
    const std::string first = entry.get_toml(runs.front().spec);
    const auto differs = [&](const RunSummary& run) {
      return entry.get_toml(run.spec) != first;
    };
    if (std::any_of(runs.begin(), runs.end(), differs)) {
      keys.push_back(entry.key);
    }
  }
  return keys;
}

class ReportVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", paths_, "directories of runs, or of many runs");
  }

  int run(bool json) override {
    if (paths_.empty()) throw ConfigError("report: say which runs");
    std::vector<RunSummary> runs;
    for (const std::string& path : paths_) {
      for (const record::RunDirectory& run : runs_at(path)) {
        runs.push_back(read_summary(run));
      }
    }
    const std::vector<std::string> varied = differences(runs);
    if (!json) {
      print_text(summary_table(runs, varied));
      return kDone;
    }
    auto list = nlohmann::json::array();
    for (const RunSummary& run : runs)
      list.push_back(to_json(run, varied));
    print_json(nlohmann::json{{"runs", list}, {"report", nullptr}});
    return kDone;
  }

 private:
  std::vector<std::string> paths_;
};

} // namespace

std::unique_ptr<Verb> make_report_verb() {
  return std::make_unique<ReportVerb>();
}

} // namespace grapevine::cli
