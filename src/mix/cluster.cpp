#include "mix/cluster.h"

#include "base/check.h"
#include "base/error.h"
#include "base/sha256.h"
#include "mix/find_nodes.h"
#include "mix/fingerprint.h"

#include <algorithm>
#include <bit>
#include <exception>

namespace grapevine::mix {
namespace {

static_assert(
    std::endian::native == std::endian::little,
    "digests and checkpoints are little-endian");

// The bytes of the tensors without the gaps.
void add_parameters(
    Sha256& hash,
    const tensor::Layout& layout,
    std::span<const float> plane) {
  for (const tensor::TensorEntry& tensor : layout.tensors()) {
    hash.update(std::as_bytes(plane.subspan(tensor.offset, tensor.elements)));
  }
}

} // namespace

void Cluster::attach(std::vector<tensor::Arena*> arenas) {
  GV_CHECK_EQ(arenas.size(), hosted().size());
  if (!arenas_.empty()) {
    throw ConfigError("these workers train another model already");
  }
  arenas_ = std::move(arenas);
}

void Cluster::detach() {
  leave_arenas();
  arenas_.clear();
}

void Cluster::mean(algo::Plane plane, std::span<float> out) {
  const Range whole{0, static_cast<int64_t>(out.size())};
  mean(plane, {&whole, 1}, out);
}

std::vector<double> Cluster::sum(Rows mine) {
  // Those that are all here count as they would over processes: up the tree
  // and down again.
  const int64_t messages = 2 * (std::ssize(mine) - 1);
  costs_.traffic +=
      {messages,
       messages * static_cast<int64_t>(mine[0].size() * sizeof(double))};
  tree_sum(mine);
  call(
      [&](Communicator& peers) { costs_.traffic += mix::sum(peers, mine[0]); });
  return mine[0];
}

void Cluster::copy_first(algo::Plane plane) {
  const std::span<float> first = plane_of(0, plane);
  call([&](Communicator& peers) {
    mix::broadcast(peers, std::as_writable_bytes(first), 0);
  });
  for_each([&](int index) {
    if (index > 0) std::ranges::copy(first, plane_of(index, plane).begin());
  });
}

Rows Cluster::all_gather(const Rows& mine) {
  Rows all = mine;
  call([&](Communicator& peers) { all = mix::all_gather(peers, mine.at(0)); });
  return all;
}

Rows Cluster::gather(const Rows& mine) {
  Rows all = mine;
  call([&](Communicator& peers) { all = mix::gather(peers, mine.at(0), 0); });
  return all;
}

bool Cluster::any(bool mine) {
  call([&](Communicator& peers) { mine = mix::any(peers, mine); });
  return mine;
}

std::string Cluster::broadcast(std::string text) {
  call([&](Communicator& peers) {
    text = mix::broadcast(peers, std::move(text), 0);
  });
  return text;
}

void Cluster::barrier() {
  call([](Communicator& peers) { mix::barrier(peers); });
}

std::string Cluster::parameters_sha256() {
  const tensor::Layout& layout = arenas_[0]->layout();
  Sha256 hash;
  for (const tensor::Arena* arena : arenas_)
    add_parameters(hash, layout, arena->parameters());
  // One replica at a time, so that worker 0 needs room for one only, and that
  // nobody's wait is longer than one takes.
  call([&](Communicator& peers) {
    std::vector<float> theirs(is_root() ? layout.size() : 0);
    for (int rank = 1; rank < peers.size(); ++rank) {
      mix::barrier(peers);
      if (peers.rank() == rank) {
        mix::exchange(peers, 0, arenas_[0]->parameters(), {});
      }
      if (!is_root()) continue;
      mix::exchange(peers, rank, {}, theirs);
      add_parameters(hash, layout, theirs);
    }
  });
  return is_root() ? hash.hex() : std::string();
}

int Cluster::find_workers_per_node(const net::LaunchEnvironment& environment) {
  int found = 1;
  call([&](Communicator& peers) {
    found = mix::find_workers_per_node(peers, environment);
  });
  return found;
}

void Cluster::compare_fingerprints(
    const std::map<std::string, std::string>& mine) {
  call([&](Communicator& peers) { mix::compare_fingerprints(peers, mine); });
}

Attachment::Attachment(Cluster& cluster, std::vector<tensor::Arena*> arenas)
    : cluster_(cluster),
      exceptions_(std::uncaught_exceptions()) {
  cluster_.attach(std::move(arenas));
}

Attachment::~Attachment() {
  try {
    if (std::uncaught_exceptions() > exceptions_) cluster_.abandon();
    cluster_.detach();
  } catch (...) {
    // The next to use the cluster is told.
  }
}

} // namespace grapevine::mix
