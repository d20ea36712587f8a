// The records of a run, by the rules of docs/formats.md ("Which lines count"),
// read without the program's own reader.
#pragma once

#include "system/program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace grapevine::system {

struct Line {
  int attempt = 0;
  int step = 0;
  nlohmann::json record;
};

inline std::vector<Line> lines_of(const std::filesystem::path& file) {
  std::vector<Line> lines;
  std::ifstream stream(file);
  std::string text;
  int attempt = 0;
  int step = 0;
  while (std::getline(stream, text)) {
    const auto record = nlohmann::json::parse(text, nullptr, false);
    if (!record.is_object() || !record.contains("type")) continue;
    if (record["type"] == "attempt") attempt = record["attempt"];
    step = record.value("step", step);
    lines.push_back({attempt, step, record});
  }
  return lines;
}

// Of all processes' files, those lines that count.
inline std::vector<Line> counted_lines(const std::filesystem::path& run) {
  std::vector<Line> lines;
  std::error_code error;
  std::filesystem::directory_iterator entry(run / "records", error);
  for (; !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    const std::vector<Line> more = lines_of(entry->path());
    lines.insert(lines.end(), more.begin(), more.end());
  }
  std::map<int, int> resumed_at;
  for (const Line& line : lines) {
    if (line.record["type"] == "attempt") resumed_at[line.attempt] = line.step;
  }
  std::erase_if(lines, [&](const Line& line) {
    return std::ranges::any_of(resumed_at, [&](const auto& later) {
      return later.first > line.attempt && line.step >= later.second;
    });
  });
  return lines;
}

// The last attempt that began, with the step at which it did.
inline Line last_attempt(const std::filesystem::path& run) {
  Line last;
  for (const Line& line : lines_of(run / "records" / "process-0.jsonl")) {
    if (line.record["type"] == "attempt") last = line;
  }
  return last;
}

// The run was resumed from a checkpoint, of this step or a later one.
inline void expect_resumed(const std::filesystem::path& run, int step = 1) {
  EXPECT_GT(last_attempt(run).attempt, 0);
  EXPECT_GE(last_attempt(run).step, step) << "began again";
}

// How many losses, one a worker, are known of each step.
inline std::map<int, size_t> counted_steps(const std::filesystem::path& run) {
  std::map<int, size_t> losses;
  for (const Line& line : counted_lines(run)) {
    if (line.record["type"] != "step") continue;
    losses[line.step] += line.record["loss"].size();
  }
  return losses;
}

inline void expect_each_step_once(
    const std::filesystem::path& run,
    int steps,
    int workers = 4) {
  std::map<int, size_t> expected;
  for (int step = 0; step < steps; ++step) {
    expected[step] = static_cast<size_t>(workers);
  }
  EXPECT_EQ(counted_steps(run), expected) << "losses a step";
}

// Training loss and accuracies by epoch.
inline std::map<int, nlohmann::json> evaluations(
    const std::filesystem::path& run) {
  std::map<int, nlohmann::json> found;
  for (const Line& line : counted_lines(run)) {
    if (line.record["type"] != "evaluation") continue;
    found[line.record["epoch"]] = {
        line.record["train_loss"],
        line.record["test_accuracy"],
        line.record["averaged_model_accuracy"]};
  }
  return found;
}

} // namespace grapevine::system
