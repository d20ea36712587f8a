#include "graph/mixing.h"

#include "base/check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace grapevine::graph {
namespace {

using Neighbours = std::vector<std::vector<int>>;

// A chain of splitmix64 finalisers: every word changes every bit.
class Digest {
 public:
  void add(uint64_t word) {
    uint64_t z = (hash_ ^ word) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    hash_ = z ^ (z >> 31);
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0;
};

// Sorts each list and checks that it holds distinct ranks other than i.
void sort_and_check(Neighbours& neighbours) {
  const int n = static_cast<int>(neighbours.size());
  GV_CHECK_GE(n, 1);
  for (int i = 0; i < n; ++i) {
    auto& list = neighbours[i];
    std::sort(list.begin(), list.end());
    for (size_t t = 0; t < list.size(); ++t) {
      GV_CHECK(list[t] >= 0 && list[t] < n && list[t] != i);
      GV_CHECK(t == 0 || list[t] != list[t - 1]);
    }
  }
}

void check_symmetric(const Neighbours& neighbours) {
  for (int i = 0; i < static_cast<int>(neighbours.size()); ++i) {
    for (const int j : neighbours[i]) {
      GV_CHECK(
          std::binary_search(neighbours[j].begin(), neighbours[j].end(), i));
    }
  }
}

bool is_regular(const Neighbours& neighbours) {
  return std::all_of(neighbours.begin(), neighbours.end(), [&](auto& list) {
    return list.size() == neighbours[0].size();
  });
}

// How often each worker is in a row of another.
std::vector<int> appearances(const Neighbours& neighbours) {
  std::vector<int> count(neighbours.size());
  for (const auto& list : neighbours) {
    for (const int j : list)
      ++count[j];
  }
  return count;
}

void insert_by_rank(std::vector<Term>& row, Term term) {
  const auto after = [](const Term& t, int rank) { return t.rank < rank; };
  row.insert(std::lower_bound(row.begin(), row.end(), term.rank, after), term);
}

bool all_weights_equal(const std::vector<Term>& row) {
  return std::all_of(row.begin(), row.end(), [&](const Term& term) {
    return term.weight == row.front().weight;
  });
}

std::vector<std::vector<int>> transpose(
    const std::vector<std::vector<Term>>& rows) {
  std::vector<std::vector<int>> receivers(rows.size());
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    for (const Term& term : rows[i]) {
      if (term.rank != i) receivers[term.rank].push_back(i);
    }
  }
  return receivers;
}

// Whether W_ij = W_ji throughout.
bool equals_transpose(const std::vector<std::vector<Term>>& rows) {
  const auto before = [](const Term& t, int rank) { return t.rank < rank; };
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    for (const Term& term : rows[i]) {
      const auto& other = rows[term.rank];
      const auto it = std::lower_bound(other.begin(), other.end(), i, before);
      if (it == other.end() || *it != Term{i, term.weight}) return false;
    }
  }
  return true;
}

} // namespace

Mixing Mixing::sparse(std::vector<std::vector<Term>> rows) {
  Mixing mixing;
  mixing.n_ = static_cast<int>(rows.size());
  mixing.form_ = Form::kSparse;
  mixing.uniform_ = std::all_of(rows.begin(), rows.end(), all_weights_equal);
  mixing.symmetric_ = equals_transpose(rows);
  mixing.receivers_ = transpose(rows);
  mixing.rows_ = std::move(rows);
  mixing.digest_ = mixing.compute_digest();
  return mixing;
}

Mixing Mixing::uniform(std::vector<std::vector<int>> neighbours) {
  sort_and_check(neighbours);
  GV_CHECK(is_regular(neighbours));
  const int n = static_cast<int>(neighbours.size());
  const int degree = static_cast<int>(neighbours[0].size());
  for (const int count : appearances(neighbours))
    GV_CHECK_EQ(count, degree);
  if (degree == n - 1) return complete(n);

  const double weight = 1.0 / (degree + 1);
  std::vector<std::vector<Term>> rows(n);
  for (int i = 0; i < n; ++i) {
    rows[i].reserve(degree + 1);
    for (const int j : neighbours[i])
      rows[i].push_back({j, weight});
    insert_by_rank(rows[i], {i, weight});
  }
  return sparse(std::move(rows));
}

Mixing Mixing::metropolis(std::vector<std::vector<int>> neighbours) {
  sort_and_check(neighbours);
  check_symmetric(neighbours);
  if (is_regular(neighbours)) return uniform(std::move(neighbours));

  const int n = static_cast<int>(neighbours.size());
  std::vector<std::vector<Term>> rows(n);
  for (int i = 0; i < n; ++i) {
    rows[i].reserve(neighbours[i].size() + 1);
    double others = 0;
    for (const int j : neighbours[i]) {
      const size_t degree =
          std::max(neighbours[i].size(), neighbours[j].size());
      const double weight = 1.0 / static_cast<double>(degree + 1);
      rows[i].push_back({j, weight});
      others += weight;
    }
    insert_by_rank(rows[i], {i, 1.0 - others});
  }
  return sparse(std::move(rows));
}

Mixing Mixing::row_stochastic(std::vector<std::vector<Term>> rows) {
  constexpr double kTolerance = 1e-9;
  const int n = static_cast<int>(rows.size());
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    bool has_itself = false;
    int last = -1;
    for (const Term& term : rows[i]) {
      GV_CHECK(term.rank > last && term.rank < n);
      GV_CHECK(term.weight > 0);
      last = term.rank;
      has_itself = has_itself || term.rank == i;
      sum += term.weight;
    }
    GV_CHECK(has_itself);
    GV_CHECK(std::abs(sum - 1) <= kTolerance);
  }
  return sparse(std::move(rows));
}

Mixing Mixing::lattice(int n, int k) {
  GV_CHECK_GE(n, 1);
  GV_CHECK_GE(k, 0);
  if (k >= n - 1) return complete(n);
  GV_CHECK_EQ(k % 2, 0);
  Mixing mixing;
  mixing.n_ = n;
  mixing.form_ = Form::kLattice;
  mixing.k_ = k;
  mixing.digest_ = mixing.compute_digest();
  return mixing;
}

Mixing Mixing::complete(int n) {
  GV_CHECK_GE(n, 1);
  Mixing mixing;
  mixing.n_ = n;
  mixing.form_ = Form::kComplete;
  mixing.digest_ = mixing.compute_digest();
  return mixing;
}

Mixing Mixing::groups(int n, std::vector<std::vector<int>> groups) {
  GV_CHECK_GE(n, 1);
  std::vector<int> group_of(n, -1);
  for (auto& group : groups) {
    GV_CHECK(!group.empty());
    std::sort(group.begin(), group.end());
  }
  // One order for one partition, so that equal ones have equal digests.
  std::sort(groups.begin(), groups.end());
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    for (const int i : groups[g]) {
      GV_CHECK(i >= 0 && i < n);
      GV_CHECK_EQ(group_of[i], -1);
      group_of[i] = g;
    }
  }
  GV_CHECK(std::find(group_of.begin(), group_of.end(), -1) == group_of.end());
  if (groups.size() == 1) return complete(n);

  Mixing mixing;
  mixing.n_ = n;
  mixing.form_ = Form::kGroups;
  mixing.groups_ = std::move(groups);
  mixing.group_of_ = std::move(group_of);
  mixing.digest_ = mixing.compute_digest();
  return mixing;
}

std::vector<Term> Mixing::row(int i) const {
  GV_CHECK(i >= 0 && i < n_);
  std::vector<Term> row;
  switch (form_) {
    case Form::kSparse:
      return rows_[i];
    case Form::kLattice:
      row.reserve(k_ + 1);
      for (int offset = -k_ / 2; offset <= k_ / 2; ++offset) {
        row.push_back({(i + offset + n_) % n_, 1.0 / (k_ + 1)});
      }
      return row;
    case Form::kComplete:
      row.reserve(n_);
      for (int j = 0; j < n_; ++j)
        row.push_back({j, 1.0 / n_});
      return row;
    case Form::kGroups: {
      const auto& group = groups_[group_of_[i]];
      row.reserve(group.size());
      const double weight = 1.0 / static_cast<double>(group.size());
      for (const int j : group)
        row.push_back({j, weight});
      return row;
    }
  }
  return row;
}

std::vector<int> Mixing::receivers(int i) const {
  GV_CHECK(i >= 0 && i < n_);
  if (form_ == Form::kSparse) return receivers_[i];
  // The other forms are symmetric: the row is the column.
  std::vector<int> ranks;
  for (const Term& term : row(i)) {
    if (term.rank != i) ranks.push_back(term.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

int Mixing::degree(int i) const {
  GV_CHECK(i >= 0 && i < n_);
  switch (form_) {
    case Form::kSparse:
      return static_cast<int>(rows_[i].size()) - 1;
    case Form::kLattice:
      return k_;
    case Form::kComplete:
      return n_ - 1;
    case Form::kGroups:
      return static_cast<int>(groups_[group_of_[i]].size()) - 1;
  }
  return 0;
}

int Mixing::degree() const {
  if (form_ == Form::kLattice || form_ == Form::kComplete) return degree(0);
  int largest = 0;
  for (int i = 0; i < n_; ++i)
    largest = std::max(largest, degree(i));
  return largest;
}

uint64_t Mixing::compute_digest() const {
  Digest digest;
  digest.add(static_cast<uint64_t>(form_));
  digest.add(n_);
  digest.add(k_);
  for (const auto& row : rows_) {
    digest.add(row.size());
    for (const Term& term : row) {
      digest.add(term.rank);
      digest.add(std::bit_cast<uint64_t>(term.weight));
    }
  }
  for (const auto& group : groups_) {
    digest.add(group.size());
    for (const int i : group)
      digest.add(i);
  }
  return digest.value();
}

} // namespace grapevine::graph
