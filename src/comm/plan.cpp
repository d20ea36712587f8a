#include "comm/plan.h"

#include "base/check.h"

#include <algorithm>
#include <atomic>

namespace grapevine::comm {

namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> next{1};
  return next++;
}

} // namespace

Plan::Plan() : id_(next_id()) {}

int64_t Plan::chunk_bytes(int64_t plane_bytes, int64_t wanted) const {
  return wanted;
}

int Plan::messages(int rank) const {
  return static_cast<int>(program(rank).sends.size());
}

double Plan::copies(int rank) const {
  double sum = 0;
  for (const Send& send : program(rank).sends)
    sum += 1.0 / send.piece.of;
  return sum;
}

int Plan::max_messages() const {
  int most = 0;
  for (int rank = 0; rank < n(); ++rank)
    most = std::max(most, messages(rank));
  return most;
}

double Plan::max_copies() const {
  double most = 0;
  for (int rank = 0; rank < n(); ++rank)
    most = std::max(most, copies(rank));
  return most;
}

std::vector<double> Plan::node_copies(int workers_per_node) const {
  std::vector<double> copies((n() + workers_per_node - 1) / workers_per_node);
  for (int rank = 0; rank < n(); ++rank) {
    const int node = rank / workers_per_node;
    for (const Send& send : program(rank).sends) {
      if (send.peer / workers_per_node == node) continue;
      copies[node] += 1.0 / send.piece.of;
    }
  }
  return copies;
}

double Plan::max_node_copies(int workers_per_node) const {
  return std::ranges::max(node_copies(workers_per_node));
}

const Tape& Plan::tape() const {
  std::call_once(tape_once_, [this] {
    tape_ = std::make_unique<const Tape>(dataflow());
  });
  return *tape_;
}

int Plan::scratch_slots() const {
  return tape().scratch_buffers();
}

void Plan::mix_all(
    std::span<float* const> values,
    int64_t count,
    std::span<float> scratch) const {
  GV_CHECK_GE(static_cast<int64_t>(scratch.size()), count * scratch_slots());
  tape().run(values, count, scratch.data(), count);
}

} // namespace grapevine::comm
