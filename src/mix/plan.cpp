#include "mix/plan.h"

#include "mix/plans/plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace grapevine::mix {
namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> next{1};
  return next++;
}

} // namespace

Plan::Plan(PlanKind kind, Dataflow flow)
    : kind_(std::move(kind)),
      flow_(std::move(flow)),
      id_(next_id()) {
  for (const Dataflow::Node& node : flow_.nodes)
    most_pieces_ = std::max(most_pieces_, node.pieces());
}

std::string Plan::describe() const {
  std::string text = fmt::format("{}: {}", kind_.name, kind_.how);
  if (max_messages() == 0) return text;
  text += fmt::format(
      ", {} messages and {:.4g} model copies per worker",
      max_messages(),
      max_copies());
  if (kind_.workers_per_node > 1) {
    text += fmt::format(
        ", {:.4g} per node to other nodes",
        max_node_copies(kind_.workers_per_node));
  }
  return kind_.why.empty() ? text : text + "; " + kind_.why;
}

int64_t Plan::chunk_bytes(int64_t plane_bytes, int64_t wanted) const {
  if (kind_.depth > 0) {
    // Filling the pipeline takes as many chunks' time as it is deep.
    return std::min(
        wanted,
        pipeline_chunk(kMostScanCopies, kind_.depth, plane_bytes));
  }
  // What travels is a piece of a chunk, and messages far below the wanted
  // size would be mostly latency.
  return std::max(wanted, most_pieces_ * (wanted / 4));
}

const CompiledDataflow& Plan::compiled() const {
  std::call_once(compiled_once_, [this] {
    compiled_ = std::make_unique<const CompiledDataflow>(flow_);
  });
  return *compiled_;
}

const Programs& Plan::programs() const {
  std::call_once(programs_once_, [this] {
    programs_ = std::make_unique<const Programs>(flow_);
  });
  return *programs_;
}

std::span<const Programs::Sent> Plan::sent() const {
  std::call_once(sent_once_, [this] { sent_ = programs().sent(1); });
  return sent_;
}

int Plan::max_messages() const {
  return static_cast<int>(
      std::ranges::max(sent(), {}, &Programs::Sent::messages).messages);
}

double Plan::max_copies() const {
  return std::ranges::max(sent(), {}, &Programs::Sent::copies).copies;
}

std::vector<double> Plan::node_copies(int workers_per_node) const {
  std::vector<double> copies;
  for (const Programs::Sent& node : programs().sent(workers_per_node))
    copies.push_back(node.copies);
  return copies;
}

double Plan::max_node_copies(int workers_per_node) const {
  return std::ranges::max(node_copies(workers_per_node));
}

} // namespace grapevine::mix
