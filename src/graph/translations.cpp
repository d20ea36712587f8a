#include "graph/translations.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace grapevine::graph {
namespace {

// j - i, digit by digit.
int difference(const std::vector<int>& radices, int j, int i) {
  int result = 0;
  int place = 1;
  for (size_t d = radices.size(); d-- > 0;) {
    const int a = radices[d];
    result += (j % a - i % a + a) % a * place;
    j /= a;
    i /= a;
    place *= a;
  }
  return result;
}

std::vector<Term>
offsets_of(const std::vector<int>& radices, std::vector<Term> row, int i) {
  for (Term& term : row)
    term.rank = difference(radices, term.rank, i);
  std::sort(row.begin(), row.end(), [](const Term& a, const Term& b) {
    return a.rank < b.rank;
  });
  return row;
}

bool is_invariant(
    const std::vector<int>& radices,
    int n,
    const RowFunction& row) {
  const auto first = offsets_of(radices, row(0), 0);
  for (int i = 1; i < n; ++i) {
    if (offsets_of(radices, row(i), i) != first) return false;
  }
  return true;
}

std::vector<std::vector<int>> candidates(int n) {
  std::vector<std::vector<int>> list = {{n}};
  for (int a = 2; a <= n / 2; ++a) {
    if (n % a == 0) list.push_back({a, n / a});
  }
  std::vector<int> binary;
  int rest = n;
  while (rest % 2 == 0) {
    binary.push_back(2);
    rest /= 2;
    list.push_back(binary);
    if (rest > 1) list.back().push_back(rest);
  }
  return list;
}

} // namespace

TranslationInvariant::TranslationInvariant(
    std::vector<int> radices,
    std::vector<Term> row0)
    : n_(1),
      radices_(std::move(radices)),
      row0_(std::move(row0)) {
  for (const int a : radices_)
    n_ *= a;
  for (int t = 0; t < n_; ++t) {
    turns_.push_back(std::polar(1.0, 2 * std::numbers::pi * t / n_));
  }
}

std::optional<TranslationInvariant> TranslationInvariant::find(
    int n,
    const RowFunction& row) {
  for (auto& radices : candidates(n)) {
    if (is_invariant(radices, n, row)) {
      return TranslationInvariant(std::move(radices), row(0));
    }
  }
  return std::nullopt;
}

int TranslationInvariant::phase(int f, int o) const {
  int64_t sum = 0;
  for (size_t d = radices_.size(); d-- > 0;) {
    const int a = radices_[d];
    sum += static_cast<int64_t>(f % a) * (o % a) * (n_ / a);
    f /= a;
    o /= a;
  }
  return static_cast<int>(sum % n_);
}

std::vector<std::complex<double>> TranslationInvariant::eigenvalues() const {
  std::vector<std::complex<double>> mu(n_);
  for (int f = 0; f < n_; ++f) {
    for (const Term& term : row0_) {
      mu[f] += term.weight * turns_[phase(f, term.rank)];
    }
  }
  return mu;
}

double TranslationInvariant::half_resistance(
    int o,
    const std::vector<double>& mu) const {
  double sum = 0;
  for (int f = 1; f < n_; ++f) {
    sum += (1 - turns_[phase(f, o)].real()) / mu[f];
  }
  return sum / n_;
}

} // namespace grapevine::graph
