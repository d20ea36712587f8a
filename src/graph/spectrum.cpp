#include "graph/spectrum.h"

#include "base/check.h"
#include "graph/graphs.h"
#include "graph/laplacian.h"
#include "graph/schedule.h"
#include "graph/translations.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

namespace grapevine::graph {

PairRates::PairRates(std::vector<std::shared_ptr<const Mixing>> steps)
    : n_(steps.at(0)->n()),
      steps_(std::move(steps)),
      totals_(n_) {
  for (const auto& mixing : steps_) {
    GV_CHECK_EQ(mixing->n(), n_);
    for (int i = 0; i < n_; ++i) {
      // W is doubly stochastic but i may send to more than it hears.
      const size_t sent = mixing->is_symmetric() ? mixing->degree(i)
                                                 : mixing->receivers(i).size();
      totals_[i] += static_cast<double>(mixing->degree(i) + sent);
    }
  }
}

std::vector<Term> PairRates::row(int i) const {
  std::vector<int> heard;
  for (const auto& mixing : steps_) {
    for (const Term& term : mixing->row(i)) {
      if (term.rank != i) heard.push_back(term.rank);
    }
    const auto sent = mixing->receivers(i);
    heard.insert(heard.end(), sent.begin(), sent.end());
  }
  std::sort(heard.begin(), heard.end());

  std::vector<Term> row;
  for (size_t begin = 0; begin < heard.size();) {
    const int j = heard[begin];
    size_t end = begin;
    while (end < heard.size() && heard[end] == j)
      ++end;
    const double count = static_cast<double>(end - begin);
    row.push_back({j, count / std::max(totals_[i], totals_[j])});
    begin = end;
  }
  return row;
}

namespace {

using Eigen::VectorXd;

VectorXd average_groups(const Mixing& mixing, const VectorXd& x) {
  VectorXd y(x.size());
  for (const auto& group : mixing.group_list()) {
    double sum = 0;
    for (const int i : group)
      sum += x[i];
    for (const int i : group)
      y[i] = sum / static_cast<double>(group.size());
  }
  return y;
}

// W x, or W^T x.
VectorXd apply(const Mixing& mixing, const VectorXd& x, bool transposed) {
  if (mixing.form() == Mixing::Form::kComplete) {
    return VectorXd::Constant(x.size(), x.mean());
  }
  if (mixing.form() == Mixing::Form::kGroups) return average_groups(mixing, x);
  VectorXd y = VectorXd::Zero(x.size());
  for (int i = 0; i < mixing.n(); ++i) {
    for (const Term& term : mixing.row(i)) {
      const int from = transposed ? i : term.rank;
      const int to = transposed ? term.rank : i;
      y[to] += term.weight * x[from];
    }
  }
  return y;
}

} // namespace

double distance_from_average(
    const std::vector<std::shared_ptr<const Mixing>>& steps) {
  const int n = steps.at(0)->n();
  if (n == 1) return 0;
  const auto there_and_back = [&](const VectorXd& x) {
    VectorXd y = x;
    for (const auto& mixing : steps)
      y = apply(*mixing, y, false);
    // Off with the average before going back, lest its rounding grow.
    y.array() -= y.mean();
    for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
      y = apply(**it, y, true);
    }
    return y;
  };
  constexpr double kRounding = 4e-15;
  const double squared =
      extreme_eigenvalues(n, there_and_back, kRounding).largest;
  return std::sqrt(std::max(squared, 0.0));
}

namespace {

using Steps = std::vector<std::shared_ptr<const Mixing>>;
using Form = Mixing::Form;
using Eigen::MatrixXd;

struct Chis {
  double chi1;
  double chi2;
};

Steps sample(const Schedule& schedule) {
  Steps steps;
  const int64_t first = schedule.settled_step();
  for (int64_t step = 0; step < schedule.sample_steps(); ++step) {
    steps.push_back(schedule.at({.step = first + step}));
  }
  return steps;
}

double largest_mean_degree(const Steps& steps) {
  if (steps.size() == 1) return steps[0]->degree();
  double largest = 0;
  for (int i = 0; i < steps[0]->n(); ++i) {
    double sum = 0;
    for (const auto& mixing : steps)
      sum += mixing->degree(i);
    largest = std::max(largest, sum);
  }
  return largest / static_cast<double>(steps.size());
}

bool is_connected(const Steps& steps) {
  // Groups and directed edges alike: doubly stochastic, or strongly connected
  // by construction, so whoever can be reached along the edges can also be
  // reached against them.
  const auto neighbours = [&](int i) {
    std::vector<int> ranks;
    for (const auto& mixing : steps) {
      for (const Term& term : mixing->row(i))
        ranks.push_back(term.rank);
    }
    return ranks;
  };
  return !first_unreachable(steps[0]->n(), neighbours);
}

// The forms whose translations need no search.
std::optional<TranslationInvariant> find_translations(
    const Mixing& mixing,
    const RowFunction& row) {
  const int n = mixing.n();
  if (mixing.form() == Form::kLattice || mixing.form() == Form::kComplete) {
    return TranslationInvariant({n}, row(0));
  }
  return TranslationInvariant::find(n, row);
}

double second_modulus(const TranslationInvariant& matrix) {
  const auto values = matrix.eigenvalues();
  double largest = 0;
  for (size_t f = 1; f < values.size(); ++f) {
    largest = std::max(largest, std::abs(values[f]));
  }
  return largest;
}

// Directed edge lists. Taking 1/n from every element leaves all eigenvalues
// but that of the constant vector, since rows sum to 1.
double second_modulus_directed(const Mixing& w) {
  MatrixXd matrix = MatrixXd::Constant(w.n(), w.n(), -1.0 / w.n());
  for (int i = 0; i < w.n(); ++i) {
    for (const Term& term : w.row(i))
      matrix(i, term.rank) += term.weight;
  }
  return Eigen::EigenSolver<MatrixXd>(matrix, false)
      .eigenvalues()
      .cwiseAbs()
      .maxCoeff();
}

// Through I - W, whose small eigenvalues are the gap itself.
double second_modulus_symmetric(const Mixing& w) {
  const Laplacian laplacian(w.n(), [&](int i) { return w.row(i); });
  const auto [smallest, largest] = laplacian.eigenvalue_range();
  return std::max(std::abs(1 - smallest), std::abs(1 - largest));
}

double second_modulus(const Mixing& w, bool connected) {
  if (w.n() == 1 || w.form() == Form::kComplete) return 0;
  if (!connected) return 1;
  const auto row = [&](int i) { return w.row(i); };
  if (const auto matrix = find_translations(w, row)) {
    return second_modulus(*matrix);
  }
  return w.is_symmetric() ? second_modulus_symmetric(w)
                          : second_modulus_directed(w);
}

Chis chis_of(const TranslationInvariant& rates, const std::vector<Term>& row0) {
  // Lambda = d I - rates, where d is the eigenvalue of the constant vector.
  std::vector<double> mu;
  const auto values = rates.eigenvalues();
  mu.reserve(values.size());
  for (const auto& value : values)
    mu.push_back((values[0] - value).real());
  Chis chis = {1 / *std::min_element(mu.begin() + 1, mu.end()), 0};
  for (const Term& term : row0) {
    chis.chi2 = std::max(chis.chi2, rates.half_resistance(term.rank, mu));
  }
  return chis;
}

Chis chis_of(const Steps& steps) {
  const int n = steps[0]->n();
  if (steps.size() == 1 && steps[0]->form() == Form::kComplete) {
    const double chi = (n - 1.0) / n;
    return {chi, chi};
  }
  const PairRates rates(steps);
  const auto row = [&](int i) { return rates.row(i); };
  const auto matrix = steps.size() == 1 ? find_translations(*steps[0], row)
                                        : TranslationInvariant::find(n, row);
  if (matrix) return chis_of(*matrix, row(0));
  const Laplacian laplacian(n, row);
  return {
      1 / laplacian.eigenvalue_range().smallest,
      laplacian.largest_half_resistance()};
}

} // namespace

Spectrum analyse(const Schedule& schedule) {
  const Steps steps = sample(schedule);
  const bool connected = is_connected(steps);
  Spectrum spectrum = {};
  spectrum.degree = largest_mean_degree(steps);
  spectrum.second_eigenvalue = steps.size() == 1
                                   ? second_modulus(*steps[0], connected)
                                   : distance_from_average(steps);
  spectrum.spectral_gap = 1 - spectrum.second_eigenvalue;
  if (connected && schedule.n() > 1) {
    const auto [chi1, chi2] = chis_of(steps);
    spectrum.chi1 = chi1;
    spectrum.chi2 = chi2;
    spectrum.eta = 1 / (2 * std::sqrt(chi1 * chi2));
    spectrum.alpha_tilde = std::sqrt(chi1 / chi2) / 2;
  }
  return spectrum;
}

} // namespace grapevine::graph
