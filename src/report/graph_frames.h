// The communication graph of a group over time, as the page draws it.
#pragma once

#include "graph/mixing.h"
#include "report/grouping.h"
#include "report/run_data.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace grapevine::report {

inline constexpr size_t kMostFrames = 64;
// Graphs of more workers that have no regular form are not drawn.
inline constexpr int kMostDrawnWorkers = 512;

struct Frame {
  enum class Kind { kComplete, kOffsets, kEdges };

  int64_t step = 0;
  int64_t epoch = 0;
  double degree = 0;
  bool directed = false;
  Kind kind = Kind::kEdges;
  // Worker i is joined to i+o and i-o; directed: i averages in i+o.
  std::vector<int> offsets;
  std::vector<std::pair<int, int>> edges; // the lower rank first
};

struct GraphFrames {
  int group = 0;
  int n = 0;
  std::vector<Frame> frames;
};

// The form of one mixing; step, epoch and degree are left to the caller.
Frame frame_of(const graph::Mixing& mixing);

// Where the graph changes; of a schedule that repeats, one period; at most
// kMostFrames. Rebuilt from the spec, for `ada = "auto"` from the degrees that
// were recorded. What could not be drawn is in `notes`.
std::vector<GraphFrames> graph_frames(
    const std::vector<RunData>& runs,
    const Grouping& grouping,
    std::vector<std::string>& notes);

} // namespace grapevine::report
