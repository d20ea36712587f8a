// How a mixing is cut into messages: the plan.
//
// A plan is pure data made from (Mixing, bytes of the whole model, workers a
// node) and fixed constants, never from a measurement, so that all workers make
// the same one and the bits repeat. It says which sums are computed and by whom
// (mix/dataflow.h); which values travel to whom follows from that
// (mix/programs.h). It is run in two ways:
//
//   mix/communicator.h    one worker, over a transport, pipelined in chunks
//   mix/virtual_mixer.h   all workers in one process, over their planes
//
// Both do the same arithmetic in the same order, element by element, which is
// why a virtual run and a real one agree bit for bit, for any chunk size.
//
// The kinds of plan, with what one worker sends (P = bytes of a plane):
//
//   identity    nothing to mix                       0 messages, 0
//   direct      own value to every receiver          d messages, d P
//   all-reduce  reduce-scatter in rank order, then   2(n-1) messages,
//               all-gather                           2(n-1)/n P
//   groups      the same inside each group; a pair   as above with g for n;
//               exchanges directly                   1 message, P for g = 2
//   node-groups, node-all-reduce: the same for      as above; a node sends P
//               groups of m whole nodes, summed      to others (m = 2), or
//               inside the nodes first               2(m-1)/m P
//   doubling    windows of a lattice from windows    floor(log2 m)+popcount(m)
//               of half the length, m = k+1          messages, as many P
//   block-scan  prefix and suffix sums along blocks  at most 4 messages, 4 P
//               of the ring; a window is a suffix,
//               perhaps a whole block, and a prefix
//
// Plans are immutable and may be shared between threads.
#pragma once

#include "base/lru_cache.h"
#include "graph/mixing.h"
#include "mix/compiled_dataflow.h"
#include "mix/dataflow.h"
#include "mix/programs.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

// How many plans a worker keeps ready to run. A schedule of random matchings
// makes a new one for every step.
inline constexpr size_t kRememberedPlans = 64;

struct PlanKind {
  std::string name; // "direct", "block-scan", …
  std::string how;  // what a worker does, in one phrase
  std::string why = {};
  int workers_per_node = 1; // of a plan by nodes
  // How many workers a chunk passes one after the other; 0 where that is not
  // what takes the time.
  int depth = 0;
};

class Plan {
 public:
  Plan(PlanKind kind, Dataflow flow);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const std::string& name() const { return kind_.name; }
  // Returns one sentence: which plan, what a worker sends and why.
  std::string describe() const;
  int n() const { return flow_.n; }
  // Differs between any two plans of this process.
  uint64_t id() const { return id_; }

  // Returns how finely this plan wants a plane of plane_bytes to be pipelined
  // if the options ask for `wanted`. The same on all workers; changes times,
  // never results.
  int64_t chunk_bytes(int64_t plane_bytes, int64_t wanted) const;

  // What all workers compute together, made ready on first use; and one
  // worker's part.
  const CompiledDataflow& compiled() const;
  Program program(int rank) const { return programs().of(rank); }

  // Sent by each worker in a step, and the largest numbers of these. Made on
  // first use.
  std::span<const Programs::Sent> sent() const;
  int64_t messages(int rank) const { return sent()[rank].messages; }
  double copies(int rank) const { return sent()[rank].copies; }
  int max_messages() const;
  double max_copies() const;
  // What the workers of each node send to other nodes in a step, in planes;
  // node a is workers a L .. a L + L - 1.
  std::vector<double> node_copies(int workers_per_node) const;
  double max_node_copies(int workers_per_node) const;

 private:
  const Programs& programs() const;

  PlanKind kind_;
  Dataflow flow_;
  uint64_t id_;
  int most_pieces_ = 1;
  mutable std::once_flag compiled_once_;
  mutable std::unique_ptr<const CompiledDataflow> compiled_;
  mutable std::once_flag programs_once_;
  mutable std::unique_ptr<const Programs> programs_;
  mutable std::once_flag sent_once_;
  mutable std::vector<Programs::Sent> sent_;
};

// The cheapest plan for this mixing and a model of this many bytes, by the
// fixed constants of mix/plans/plans.h. Groups of several whole nodes go by
// nodes.
std::shared_ptr<const Plan> make_plan(
    const graph::Mixing& mixing,
    int64_t model_bytes,
    int workers_per_node = 1);

// Plans by mixing: a schedule repeats itself, so its plans are made once.
class PlanCache {
 public:
  PlanCache(int64_t model_bytes, int workers_per_node)
      : model_bytes_(model_bytes),
        workers_per_node_(workers_per_node) {}

  std::shared_ptr<const Plan> get(const graph::Mixing& mixing) {
    return plans_.get(mixing.digest(), [&] {
      return make_plan(mixing, model_bytes_, workers_per_node_);
    });
  }

 private:
  int64_t model_bytes_;
  int workers_per_node_;
  LruCache<uint64_t, std::shared_ptr<const Plan>> plans_{256};
};

} // namespace grapevine::mix
