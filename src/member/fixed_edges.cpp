#include "base/check.h"
#include "member/edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace grapevine::member {
namespace {

class FixedEdges : public Edges {
 public:
  FixedEdges(
      std::unique_ptr<net::Transport> transport,
      std::vector<int> neighbours)
      : transport_(std::move(transport)),
        rank_(transport_->rank()),
        size_(transport_->size()),
        name_(transport_->name()),
        neighbours_(std::move(neighbours)) {
    for (const int neighbour : neighbours_) {
      GV_CHECK_GE(neighbour, 0);
      GV_CHECK_LT(neighbour, size_);
      GV_CHECK(neighbour != rank_);
      changes_.push_back({.rank = neighbour, .linked = true, .why = "life 1"});
    }
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return name_; }
  bool survives_loss() const override { return false; }

  Edge edge(int rank) override {
    check_neighbour(rank);
    if (is_lost_) return {};
    return {.transport = transport_.get(), .peer = rank};
  }

  std::vector<EdgeChange> changes() override {
    return std::exchange(changes_, {});
  }

  void lose(int rank, const std::string& why) override {
    check_neighbour(rank);
    if (is_lost_) return;
    is_lost_ = true;
    // Kept, since others may still point to it: it throws from now on.
    transport_->interrupt();
    for (const int neighbour : neighbours_) {
      if (neighbour == rank) continue;
      changes_.push_back(
          {.rank = neighbour,
           .linked = false,
           .why = fmt::format("lost with worker {}: {}", rank, why)});
    }
  }

  std::vector<int> ended() override { return {}; }

  void show_progress(int64_t /*gradients*/) override {} // all are told

  // No worker is ever without neighbours.
  bool is_gathering() override { return false; }
  std::optional<bool> conclude() override { // no worker can come
    is_concluded_ = true;
    return rank_ == 0;
  }
  bool is_concluded() override { return is_concluded_; }

  Gathering gather(Deadline /*deadline*/) override {
    GV_CHECK(transport_ != nullptr);
    if (is_lost_) {
      throw TransportError(fmt::format(
          "worker {} has lost its links, and {} has no others",
          rank_,
          name_));
    }
    is_lost_ = true;
    Gathering gathering;
    gathering.members.resize(size_);
    std::iota(gathering.members.begin(), gathering.members.end(), 0);
    gathering.transport = std::move(transport_);
    return gathering;
  }

 private:
  void check_neighbour(int rank) const {
    GV_CHECK(
        std::find(neighbours_.begin(), neighbours_.end(), rank) !=
        neighbours_.end());
  }

  std::unique_ptr<net::Transport> transport_;
  int rank_;
  int size_;
  std::string name_;
  std::vector<int> neighbours_;
  std::vector<EdgeChange> changes_;
  bool is_lost_ = false; // or handed out
  bool is_concluded_ = false;
};

} // namespace

std::unique_ptr<Edges> make_fixed_edges(
    std::unique_ptr<net::Transport> transport,
    std::vector<int> neighbours) {
  return std::make_unique<FixedEdges>(
      std::move(transport),
      std::move(neighbours));
}

} // namespace grapevine::member
