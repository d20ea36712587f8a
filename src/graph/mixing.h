// Who talks to whom in one step, and with which weights.
//
//   x_i <- sum_j W_ij x_j        W doubly stochastic, but for push-sum's,
//                                whose rows alone sum to 1
//
// A Mixing is plain data about one step's matrix W. It knows the *form* of W,
// since the communicator moves a lattice or a group average far more cheaply
// than an arbitrary sparse matrix; and it can list any row of W, which is what
// analysis and tests look at. Rows are made on demand: the complete graph on
// 4096 workers is never stored.
//
// Immutable after construction, so safe to share between threads.
#pragma once

#include <cstdint>
#include <vector>

namespace grapevine::graph {

// One term of a row of W: W_ij for j = rank.
struct Term {
  int rank;
  double weight;
  bool operator==(const Term&) const = default;
};

class Mixing {
 public:
  enum class Form {
    kSparse,   // rows given term by term
    kLattice,  // uniform over i-k/2 .. i+k/2 (mod n), k even, 0 <= k <= n-2
    kComplete, // uniform over all n
    kGroups,   // uniform inside each group of a partition
  };

  // The constructors below choose the cheapest form: rows that hold everybody
  // become kComplete.

  // Uniform weights 1/(degree+1): row i averages i itself and
  // neighbours[i] (distinct, without i, in any order). All rows must have the
  // same length and every worker must appear equally often, else W would not
  // be doubly stochastic (checked).
  static Mixing uniform(std::vector<std::vector<int>> neighbours);
  // Metropolis weights of an undirected graph (neighbours symmetric, checked):
  // W_ij = 1 / (1 + max(d_i, d_j)), the rest of the row on the diagonal. Of
  // a regular graph these are the uniform weights.
  static Mixing metropolis(std::vector<std::vector<int>> neighbours);
  // Any row-stochastic matrix (graph/push_schedule.h): row i lists positive
  // weights that sum to 1 by ascending rank, i among them (checked). Columns
  // may sum to anything.
  static Mixing row_stochastic(std::vector<std::vector<Term>> rows);
  // The k nearest on a ring, k even: i-k/2 .. i+k/2. k = 0 is no mixing;
  // k >= n-1 (then odd ones too) is complete. k = n-2 is a true lattice, in
  // which the worker opposite is missing: the ring of 4 is lattice(4, 2).
  static Mixing lattice(int n, int k);
  static Mixing complete(int n);
  // groups is a partition of 0..n-1 (checked); groups of one mix nothing.
  static Mixing groups(int n, std::vector<std::vector<int>> groups);

  int n() const { return n_; }
  Form form() const { return form_; }
  // kLattice: the coordination number.
  int k() const { return k_; }
  // kGroups: each sorted ascending.
  const std::vector<std::vector<int>>& group_list() const { return groups_; }
  // kGroups: the index into group_list() of the group of worker i.
  int group_of(int i) const { return group_of_[i]; }

  // True when, in every row, all nonzero weights are the same: then the sum is
  // taken first and scaled once.
  bool is_uniform() const { return uniform_; }

  // Row i in summation order (the order in which floating-point sums are
  // taken everywhere): for lattices from i-k/2 to i+k/2 around the ring, else
  // by ascending rank; i itself included at its place.
  std::vector<Term> row(int i) const;

  // Whose rows worker i appears in, itself excluded, ascending: whom i sends
  // to when the mixing is done directly.
  std::vector<int> receivers(int i) const;

  // The number of other workers in row i; the largest over i.
  int degree(int i) const;
  int degree() const;

  // True when W is its own transpose.
  bool is_symmetric() const { return symmetric_; }

  // Equal for equal W (same form and terms). Workers compare it.
  uint64_t digest() const { return digest_; }

 private:
  Mixing() = default;
  static Mixing sparse(std::vector<std::vector<Term>> rows);
  uint64_t compute_digest() const;

  int n_ = 0;
  Form form_ = Form::kSparse;
  int k_ = 0;
  bool uniform_ = true;
  bool symmetric_ = true;
  std::vector<std::vector<Term>> rows_;     // kSparse
  std::vector<std::vector<int>> receivers_; // kSparse
  std::vector<std::vector<int>> groups_;    // kGroups
  std::vector<int> group_of_;               // kGroups
  uint64_t digest_ = 0;
};

} // namespace grapevine::graph
