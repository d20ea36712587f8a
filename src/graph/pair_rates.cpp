#include "graph/pair_rates.h"

#include "base/check.h"

#include <algorithm>
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

} // namespace grapevine::graph
