// How far the replicas of an asynchronous run were apart, if each worker has
// a process and writes down a sketch of its own replica (record/consensus.h)
// from time to time:
//
//   consensus distance = (1/m) sum_i ||s_i - mean||^2   over m workers
//
// Workers write at about the same rounds, but not at the same moment, and all
// replicas move. So a point is at the mean of the workers' moments, and each
// sketch is followed to there, on the straight line towards the worker's next
// or previous one. At the end of the run nothing moves any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace grapevine::report {

class ReplicaDistances {
 public:
  // n: workers of the run. probe_every: rounds from one sketch to the next.
  ReplicaDistances(int n, int64_t probe_every);

  // Any order. What is no sketch (another length than the first, numbers that
  // are not finite) is left out.
  void add(int worker, double rounds, std::vector<double> sketch);
  // The same, of the replica that the worker ended with.
  void add_last(int worker, double rounds, std::vector<double> sketch);

  struct Point {
    int64_t round = 0;
    double distance = 0;
  };
  // In order of rounds; only those of at least two workers and half of all.
  std::vector<Point> points() const;

 private:
  struct Shot {
    double rounds = 0;
    std::vector<double> sketch;
  };
  using Shots = std::map<int64_t, Shot>; // by rounds / probe_every

  bool is_sketch(int worker, double rounds, const std::vector<double>& numbers);
  bool is_enough(size_t workers) const;
  void thin_out();
  Point last_point() const;
  // Where the worker was at that moment.
  static std::vector<double>
  follow(const Shots& shots, Shots::const_iterator from, double rounds);

  int64_t probe_every_;
  int64_t stride_ = 1; // of the indices that are kept
  size_t length_ = 0;  // of a sketch; 0 = none so far
  size_t kept_ = 0;    // shots of all workers
  std::vector<Shots> workers_;
  std::map<int, Shot> last_; // by worker
};

} // namespace grapevine::report
