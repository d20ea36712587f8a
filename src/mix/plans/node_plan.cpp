#include "mix/plans/node_plan.h"

#include "base/check.h"
#include "mix/tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace grapevine::mix {
namespace {

static_assert(2 * NodePlan::kMostNodes <= kLastMixTag - kFirstMixTag + 1);

// What is received into the plane waits until its old value is out of use.
constexpr int kScatter = 0;
constexpr int kAcross = 1;
constexpr int kGather = kPostAhead + 1;
constexpr int kLastGather = kGather + 1;

// Nodes of a group that goes by nodes; 0 for one that does not.
int whole_nodes(const std::vector<int>& group, int per_node) {
  const int size = static_cast<int>(group.size());
  if (per_node < 2 || size % per_node != 0) return 0;
  const int nodes = size / per_node;
  if (nodes < 2 || nodes > NodePlan::kMostNodes) return 0;
  for (int i = 0; i < size; i += per_node) {
    // Ascending, so first and last tell that all between them are there.
    const bool whole = group[i] % per_node == 0 &&
                       group[i + per_node - 1] == group[i] + per_node - 1;
    if (!whole) return 0;
  }
  return nodes;
}

int pieces_of(int nodes, int per_node) {
  return nodes == 2 ? per_node : nodes * per_node;
}

// Writes one worker's part. "Mine" are the pieces whose sums over the node
// this worker takes, one for two nodes, else one for each node.
class Writer {
 public:
  Writer(const std::vector<int>& group, int per_node, int rank)
      : group_(group),
        per_node_(per_node),
        nodes_(static_cast<int>(group.size()) / per_node),
        node_(static_cast<int>(
            (std::ranges::find(group, rank) - group.begin()) / per_node)),
        local_(rank % per_node),
        parts_(nodes_ == 2 ? 1 : nodes_) {}

  Program write() {
    scatter();
    if (nodes_ == 2) {
      exchange();
      gather_inside(kGather);
    } else {
      scatter_across();
      gather_across();
      gather_inside(kLastGather);
    }
    program_.sort();
    return std::move(program_);
  }

 private:
  int worker(int node, int local) const {
    return group_[node * per_node_ + local];
  }
  // The part-th of the pieces of the node's worker `local`.
  Piece piece(int local, int part) const {
    return {local * parts_ + part, pieces_of(nodes_, per_node_)};
  }
  float scale() const {
    return static_cast<float>(1.0 / static_cast<double>(group_.size()));
  }

  // Everybody begins with the one behind: all receive from somebody else.
  void scatter() {
    std::vector<int> terms(per_node_, kValue);
    for (int away = 1; away < per_node_; ++away) {
      const int to = (local_ + away) % per_node_;
      const int from = (local_ + per_node_ - away) % per_node_;
      terms[from] = program_.add_slot();
      for (int part = 0; part < parts_; ++part) {
        program_.sends.push_back(
            {kScatter, worker(node_, to), kValue, piece(to, part)});
        program_.receives.push_back(
            {kScatter, worker(node_, from), terms[from], piece(local_, part)});
      }
    }
    sum_of_node_ = program_.add_slot();
    for (int part = 0; part < parts_; ++part) {
      program_.combines.push_back(
          {.round = kScatter,
           .dst = sum_of_node_,
           .terms = terms,
           .piece = piece(local_, part)});
    }
  }

  // Of two nodes: each sends its sum and adds the other's.
  void exchange() {
    const int other = 1 - node_;
    const Piece mine = piece(local_, 0);
    program_.sends.push_back(
        {kAcross, worker(other, local_), sum_of_node_, mine});
    std::vector<int> terms(nodes_, sum_of_node_);
    terms[other] = program_.add_slot();
    program_.receives.push_back(
        {kAcross, worker(other, local_), terms[other], mine});
    add_result(std::move(terms), mine);
  }

  // Of more: this worker finishes the part that has its node's number.
  void scatter_across() {
    std::vector<int> terms(nodes_, sum_of_node_);
    const Piece mine = piece(local_, node_);
    for (int away = 1; away < nodes_; ++away) {
      const int to = (node_ + away) % nodes_;
      const int from = (node_ + nodes_ - away) % nodes_;
      program_.sends.push_back(
          {kAcross, worker(to, local_), sum_of_node_, piece(local_, to)});
      terms[from] = program_.add_slot();
      program_.receives.push_back(
          {kAcross, worker(from, local_), terms[from], mine});
    }
    add_result(std::move(terms), mine);
  }

  void add_result(std::vector<int> terms, Piece mine) {
    program_.combines.push_back(
        {.round = kAcross,
         .dst = kResult,
         .terms = std::move(terms),
         .scale = scale(),
         .piece = mine});
  }

  void gather_across() {
    for (int away = 1; away < nodes_; ++away) {
      const int to = (node_ + away) % nodes_;
      const int from = (node_ + nodes_ - away) % nodes_;
      program_.sends.push_back(
          {kGather, worker(to, local_), kResult, piece(local_, node_)});
      program_.receives.push_back(
          {kGather, worker(from, local_), kResult, piece(local_, from)});
    }
  }

  void gather_inside(int round) {
    for (int away = 1; away < per_node_; ++away) {
      const int to = (local_ + away) % per_node_;
      const int from = (local_ + per_node_ - away) % per_node_;
      for (int part = 0; part < parts_; ++part) {
        program_.sends.push_back(
            {round, worker(node_, to), kResult, piece(local_, part)});
        program_.receives.push_back(
            {round, worker(node_, from), kResult, piece(from, part)});
      }
    }
  }

  const std::vector<int>& group_;
  const int per_node_;
  const int nodes_;
  const int node_;  // of this worker, in the group
  const int local_; // place of this worker in its node
  const int parts_; // of each worker's pieces
  int sum_of_node_ = -1;
  Program program_;
};

} // namespace

NodePlan::NodePlan(
    int n,
    std::vector<std::vector<int>> groups,
    int workers_per_node)
    : GroupPlan(n, std::move(groups)),
      per_node_(workers_per_node) {
  for (const auto& group : this->groups()) {
    const int nodes = whole_nodes(group, per_node_);
    const int pieces = nodes > 0 ? pieces_of(nodes, per_node_)
                                 : static_cast<int>(group.size());
    most_pieces_ = std::max(most_pieces_, pieces);
  }
}

bool NodePlan::applies(
    const std::vector<std::vector<int>>& groups,
    int workers_per_node) {
  return std::ranges::any_of(groups, [&](const auto& group) {
    return whole_nodes(group, workers_per_node) > 0;
  });
}

std::string NodePlan::name() const {
  return groups().size() == 1 ? "node-all-reduce" : "node-groups";
}

std::string NodePlan::describe() const {
  return fmt::format(
      "{}: sums inside nodes of {}, then between the nodes of a group, {} "
      "messages and {:.4g} model copies a worker, {:.4g} a node to other nodes",
      name(),
      per_node_,
      max_messages(),
      max_copies(),
      max_node_copies(per_node_));
}

Program NodePlan::program(int rank) const {
  const std::vector<int>& group = group_of(rank);
  if (whole_nodes(group, per_node_) == 0) return GroupPlan::program(rank);
  return Writer(group, per_node_, rank).write();
}

Dataflow NodePlan::dataflow() const {
  Dataflow flow(n());
  for (const std::vector<int>& group : groups()) {
    const int nodes = whole_nodes(group, per_node_);
    if (nodes == 0) {
      add_to(flow, group);
      continue;
    }
    std::vector<int> sums;
    for (int a = 0; a < nodes; ++a) {
      const auto first = group.begin() + a * per_node_;
      sums.push_back(flow.add({first, first + per_node_}));
    }
    const auto size = static_cast<double>(group.size());
    const int mean = flow.add(std::move(sums), static_cast<float>(1.0 / size));
    for (const int member : group)
      flow.results[member] = mean;
  }
  return flow;
}

int64_t NodePlan::chunk_bytes(int64_t plane_bytes, int64_t wanted) const {
  // As for GroupPlan: what travels is a piece of a chunk.
  return std::max(wanted, most_pieces_ * (wanted / 4));
}

int NodePlan::messages(int rank) const {
  const int nodes = whole_nodes(group_of(rank), per_node_);
  if (nodes == 0) return GroupPlan::messages(rank);
  const int inside = 2 * (per_node_ - 1);
  return nodes == 2 ? inside + 1 : inside * nodes + 2 * (nodes - 1);
}

double NodePlan::copies(int rank) const {
  const int nodes = whole_nodes(group_of(rank), per_node_);
  if (nodes == 0) return GroupPlan::copies(rank);
  const double inside = 2.0 * (per_node_ - 1) / per_node_;
  const double across = nodes == 2 ? 1.0 : 2.0 * (nodes - 1) / nodes;
  return inside + across / per_node_;
}

double NodePlan::sent_by_node(
    const std::vector<int>& group,
    int members,
    int workers_per_node) const {
  const int nodes = whole_nodes(group, per_node_);
  // Seen with other nodes than the plan's, a group is counted as a flat one,
  // which sends as much in all and no less to others.
  if (nodes == 0 || workers_per_node != per_node_) {
    return GroupPlan::sent_by_node(group, members, workers_per_node);
  }
  return nodes == 2 ? 1.0 : 2.0 * (nodes - 1) / nodes;
}

} // namespace grapevine::mix
