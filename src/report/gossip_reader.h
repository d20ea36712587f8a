// What is gathered of an asynchronous run while its records pass by. Internal
// to the reading of runs.
//
// Counts in the records are added up since the worker began. A worker of a
// process of its own begins anew with each life, so what its earlier lives did
// is added; a virtual run goes on counting.
#pragma once

#include "record/record_scanner.h"
#include "report/curves.h"
#include "report/gossip.h"
#include "report/replica_distances.h"
#include "spec/spec_table.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace grapevine::report {

class GossipReader {
 public:
  // n: workers of the run. probe_every: rounds of a point, where the workers'
  // own records come at different moments.
  GossipReader(int n, int64_t probe_every);

  // An "attempt" line of the process that hosts `workers`, before the others.
  void begin(const std::vector<int>& workers, bool is_virtual);
  // Lines of these types; others are left alone.
  void take(const record::RecordLine& line);

  // Of workers that have a process each; else nothing.
  std::vector<ReplicaDistances::Point> distances() const {
    return distances_.points();
  }

  // Nothing if the run wrote no such lines.
  std::optional<Gossip> finish(const spec::Spec& spec) const;
  // The gossip table of the schema. points: at most; 0 = none.
  Curves curves(const Timeline& timeline, int points) const;

 private:
  enum Count : int {
    kGradients,
    kAveragings,
    kStaleness,
    kWait,
    kPair,
    kHeld,
    kCounts,
  };
  // A number that is added up since the worker began.
  struct Counter {
    double before = 0; // in earlier lives
    double now = 0;

    void begin_life() { before += std::exchange(now, 0); }
    double total() const { return before + now; }
  };
  struct Worker {
    std::array<Counter, kCounts> counts;
    double staleness_most = 0;
    double wait_most = 0;
    double known_gradients = 0; // by those that were there at the end
  };
  // With one peer.
  struct Pair {
    Counter averagings;
    Counter seconds;
  };
  struct Losses {
    double lost = 0;
    double came_back = 0;
  };

  void take_gossip(const record::RecordLine& line);
  void take_sketches(const record::RecordLine& line, double rounds);
  void take_pairs(const record::RecordLine& line);
  void take_membership(const record::RecordLine& line);
  std::vector<GossipLink> slow_links() const;
  void take_end(const record::RecordLine& line);
  static GossipWorker figures(const Worker& worker);
  Worker* hosted_worker(size_t index);

  int64_t probe_every_;
  bool is_empty_ = true;
  bool is_virtual_ = false;
  std::vector<Worker> workers_;
  std::map<std::pair<int, int>, Pair> pairs_; // by worker and peer
  std::vector<int> hosted_; // by the process whose lines pass by
  Buckets counts_;
  std::map<std::pair<int, int>, Losses> losses_; // by observer and worker
  std::vector<GossipChange> changes_;
  std::vector<int> members_;
  ReplicaDistances distances_;
};

} // namespace grapevine::report
