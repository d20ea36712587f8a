#include "mix/plan.h"

#include <algorithm>
#include <atomic>

namespace grapevine::mix {

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

const CompiledDataflow& Plan::compiled() const {
  std::call_once(compiled_once_, [this] {
    compiled_ = std::make_unique<const CompiledDataflow>(dataflow());
  });
  return *compiled_;
}

} // namespace grapevine::mix
