// Ratios, measured fairly: ours and the rival's take turns in one run, and
// the median of the turns' ratios counts.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace grapevine::perf {

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

// Half the distance between the quartiles, relative to the median.
inline double spread(std::vector<double> values) {
  std::ranges::sort(values);
  const double middle = median(values);
  const double low = values[values.size() / 4];
  const double high = values[values.size() - 1 - values.size() / 4];
  return middle == 0 ? 0 : (high - low) / 2 / middle;
}

struct Turns {
  std::vector<double> ours; // seconds
  std::vector<double> rival;
};

// One warm-up each, then `turns` of each, alternating.
inline Turns take_turns(
    int turns,
    const std::function<void()>& ours,
    const std::function<void()>& rival) {
  ours();
  rival();
  Turns times;
  for (int turn = 0; turn < turns; ++turn) {
    times.ours.push_back(seconds_of(ours));
    times.rival.push_back(seconds_of(rival));
  }
  return times;
}

// A row of build/perf/*.json. goal is like "<=1.05" or ">=0.8", of the ratio.
struct Row {
  std::string name;
  double ours = 0;
  double rival = 0;
  std::string unit;
  double ratio = 0; // ours / rival
  double spread = 0;
  std::string goal;

  bool met() const {
    const double bound = std::stod(goal.substr(2));
    return goal.starts_with("<=") ? ratio <= bound : ratio >= bound;
  }
};

// Times, less is better.
inline Row
time_row(const std::string& name, const Turns& turns, const std::string& goal) {
  std::vector<double> ratios;
  for (size_t i = 0; i < turns.ours.size(); ++i) {
    ratios.push_back(turns.ours[i] / turns.rival[i]);
  }
  return {
      name,
      median(turns.ours) * 1e3,
      median(turns.rival) * 1e3,
      "ms",
      median(ratios),
      spread(ratios),
      goal};
}

// Bandwidths, each of the bytes that its turn moves; more is better.
inline Row bandwidth_row(
    const std::string& name,
    const Turns& turns,
    double our_bytes,
    double rival_bytes,
    const std::string& goal) {
  std::vector<double> ratios;
  for (size_t i = 0; i < turns.ours.size(); ++i) {
    const double ours = our_bytes / turns.ours[i];
    ratios.push_back(ours / (rival_bytes / turns.rival[i]));
  }
  return {
      name,
      our_bytes / median(turns.ours) / 1e9,
      rival_bytes / median(turns.rival) / 1e9,
      "GB/s",
      median(ratios),
      spread(ratios),
      goal};
}

// To the file, and as a table to stderr.
inline void write_rows(const std::string& file, const std::vector<Row>& rows) {
  nlohmann::json json = nlohmann::json::array();
  for (const Row& row : rows) {
    json.push_back(
        {{"name", row.name},
         {"ours", row.ours},
         {"rival", row.rival},
         {"unit", row.unit},
         {"ratio", row.ratio},
         {"spread", row.spread},
         {"goal", row.goal},
         {"met", row.met()}});
    std::cerr << fmt::format(
        "{:<58} {:>10.3f} {:>10.3f} {:<8} ratio {:.3f} +- {:.1f} %  goal {} "
        "{}\n",
        row.name,
        row.ours,
        row.rival,
        row.unit,
        row.ratio,
        row.spread * 100,
        row.goal,
        row.met() ? "met" : "NOT MET");
  }
  std::ofstream(file) << json.dump(2) << '\n';
}

} // namespace grapevine::perf
