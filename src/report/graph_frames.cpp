#include "report/graph_frames.h"

#include "base/error.h"
#include "graph/schedule.h"
#include "spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace grapevine::report {
namespace {

using graph::Mixing;
using graph::Schedule;

constexpr int64_t kMostMoments = 4096;

// How far up the ring the neighbours of i are, ascending.
std::vector<int> offsets_of(const Mixing& mixing, int i) {
  std::vector<int> offsets;
  for (const graph::Term& term : mixing.row(i)) {
    const int offset = (term.rank - i + mixing.n()) % mixing.n();
    if (offset != 0) offsets.push_back(offset);
  }
  std::ranges::sort(offsets);
  return offsets;
}

// The offsets that all workers share, if they do.
std::optional<std::vector<int>> common_offsets(const Mixing& mixing) {
  const std::vector<int> first = offsets_of(mixing, 0);
  for (int i = 1; i < mixing.n(); ++i) {
    if (offsets_of(mixing, i) != first) return std::nullopt;
  }
  return first;
}

void list_edges(const Mixing& mixing, Frame& frame) {
  for (int i = 0; i < mixing.n(); ++i) {
    for (const graph::Term& term : mixing.row(i)) {
      if (term.rank == i) continue;
      if (frame.directed) {
        frame.edges.emplace_back(i, term.rank);
      } else if (i < term.rank) {
        frame.edges.emplace_back(i, term.rank);
      }
    }
  }
}

// At which the graph may have changed.
std::vector<graph::StepTime> moments(
    const Schedule& schedule,
    const RunData& run) {
  std::vector<graph::StepTime> result;
  const int rounds = schedule.sample_steps();
  if (schedule.period() > 0 || rounds > 1) {
    const int64_t count =
        std::clamp<int64_t>(rounds, 1, static_cast<int64_t>(kMostFrames));
    for (int64_t step = 0; step < count; ++step)
      result.push_back({.step = step});
    return result;
  }
  const auto per_epoch =
      std::max<int64_t>(std::llround(run.steps_per_epoch), 1);
  int64_t total = run.spec.epochs * per_epoch;
  if (run.spec.steps > 0) total = std::min(total, run.spec.steps);
  const int64_t stride = total / kMostMoments + 1;
  for (int64_t step = 0; step < total; step += stride) {
    result.push_back(
        {.step = step,
         .epoch = step / per_epoch,
         .epochs_done =
             static_cast<double>(step) / static_cast<double>(per_epoch)});
  }
  return result;
}

void thin_out(std::vector<Frame>& frames) {
  if (frames.size() <= kMostFrames) return;
  std::vector<Frame> kept;
  for (size_t i = 0; i < kMostFrames; ++i) {
    kept.push_back(
        std::move(frames[i * (frames.size() - 1) / (kMostFrames - 1)]));
  }
  frames = std::move(kept);
}

std::vector<Frame> scheduled_frames(const RunData& run) {
  const auto schedule = graph::make_schedule(spec::graph_options(run.spec));
  std::vector<Frame> frames;
  std::optional<uint64_t> last;
  for (const graph::StepTime& moment : moments(*schedule, run)) {
    const auto mixing = schedule->at(moment);
    if (last == mixing->digest()) continue;
    last = mixing->digest();
    Frame frame = frame_of(*mixing);
    frame.step = moment.step;
    frame.epoch = moment.epoch;
    frame.degree = mixing->degree();
    frames.push_back(std::move(frame));
  }
  return frames;
}

// Ada auto: a lattice of the degree that was recorded.
std::vector<Frame> recorded_frames(const RunData& run) {
  std::vector<Frame> frames;
  for (const DegreeChange& change : run.degrees) {
    const int k = static_cast<int>(
        std::clamp(change.degree, 0.0, static_cast<double>(run.spec.n - 1)));
    Frame frame = frame_of(
        Mixing::lattice(run.spec.n, k >= run.spec.n - 1 ? k : k - k % 2));
    frame.step = change.step;
    frame.epoch = static_cast<int64_t>(
        static_cast<double>(change.step) / run.steps_per_epoch);
    frame.degree = change.degree;
    frames.push_back(std::move(frame));
  }
  return frames;
}

bool is_undrawn(const Frame& frame) {
  return frame.kind == Frame::Kind::kEdges && frame.edges.empty() &&
         frame.degree > 0;
}

} // namespace

Frame frame_of(const Mixing& mixing) {
  Frame frame;
  frame.directed = !mixing.is_symmetric();
  if (mixing.form() == Mixing::Form::kComplete) {
    frame.kind = Frame::Kind::kComplete;
    return frame;
  }
  if (mixing.form() == Mixing::Form::kLattice) {
    frame.kind = Frame::Kind::kOffsets;
    for (int offset = 1; offset <= mixing.k() / 2; ++offset)
      frame.offsets.push_back(offset);
    return frame;
  }
  if (auto offsets = common_offsets(mixing)) {
    frame.kind = Frame::Kind::kOffsets;
    if (!frame.directed) {
      std::erase_if(*offsets, [&](int offset) {
        return 2 * offset > mixing.n();
      });
    }
    frame.offsets = std::move(*offsets);
    return frame;
  }
  if (mixing.n() <= kMostDrawnWorkers) list_edges(mixing, frame);
  return frame;
}

std::vector<GraphFrames> graph_frames(
    const std::vector<RunData>& runs,
    const Grouping& grouping,
    std::vector<std::string>& notes) {
  std::vector<GraphFrames> all;
  for (const Group& group : grouping.groups) {
    const RunData& run = runs[group.runs.front()];
    GraphFrames graph{group.id, group.n, {}};
    try {
      const bool is_auto = run.spec.graph == "ada" && run.spec.ada == "auto";
      graph.frames = is_auto ? recorded_frames(run) : scheduled_frames(run);
    } catch (const Error& error) {
      notes.push_back(fmt::format(
          "The graph of {} is not drawn: {}",
          group.label,
          error.what()));
      continue;
    }
    thin_out(graph.frames);
    if (std::ranges::any_of(graph.frames, is_undrawn)) {
      notes.push_back(fmt::format(
          "The edges of {} are left out: {} workers, {} at most.",
          group.label,
          group.n,
          kMostDrawnWorkers));
    }
    if (!graph.frames.empty()) all.push_back(std::move(graph));
  }
  return all;
}

} // namespace grapevine::report
