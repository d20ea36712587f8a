#include "report/sample.h"

#include "record/dispersion.h"

#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace grapevine::report {
namespace {

constexpr size_t kFewestRuns = 3;

struct Quantity {
  std::string name;
  std::string title;
  int phase;
  std::function<double(const RunData&)> value;
};

std::vector<Quantity> quantities() {
  std::vector<Quantity> all = {
      {"connections", "number of connections", 0, [](const RunData& run) {
         return run.mean_degree;
       }}};
  size_t index = 0;
  for (const record::Metric& metric : record::metric_table()) {
    for (int phase = 0; phase < static_cast<int>(kPhases.size()); ++phase) {
      all.push_back({metric.name, metric.title, phase, [=](const RunData& run) {
                       return index < run.dispersion.size()
                                  ? run.dispersion[index].mean[phase]
                                  : kNan;
                     }});
    }
    ++index;
  }
  return all;
}

// Rank correlations of the runs of one seed in one stratum. Seeds differ in
// their accuracies as much as graphs do, so runs are ranked among those that
// share data order and initial values, and the seeds' figures are averaged.
class Parts {
 public:
  // A seed with too few runs or no rank correlation adds nothing.
  void
  add(const Sample& sample, const Choices& stratum, const Quantity& quantity) {
    struct Pairs {
      std::vector<double> x;
      std::vector<double> y;
    };
    std::map<uint64_t, Pairs> by_seed;
    for (const int index : sample.decentralized_in(stratum)) {
      const RunData& run = sample.runs()[index];
      const double value = quantity.value(run);
      if (!std::isfinite(value)) continue;
      by_seed[run.spec.seed].x.push_back(value);
      by_seed[run.spec.seed].y.push_back(run.accuracy);
    }
    for (const auto& [seed, pairs] : by_seed) {
      if (pairs.x.size() < kFewestRuns) continue;
      const double rho = spearman(pairs.x, pairs.y);
      if (!std::isfinite(rho)) continue;
      rhos_.push_back(rho);
      seeds_.push_back(seed);
      runs_ += static_cast<int>(pairs.x.size());
    }
  }

  Correlation correlation(const Quantity& quantity, Stratum stratum) const {
    Correlation result{
        .with = quantity.name,
        .title = quantity.title,
        .phase = quantity.phase,
        .stratum = std::move(stratum)};
    result.runs = runs_;
    result.seeds = static_cast<int>(
        std::set<uint64_t>(seeds_.begin(), seeds_.end()).size());
    result.rho = mean(rhos_);
    result.interval = bootstrap_over_seeds(
        seeds_,
        [this](std::span<const int> counts) { return drawn_mean(counts); });
    return result;
  }

  bool empty() const { return rhos_.empty(); }

 private:
  double drawn_mean(std::span<const int> counts) const {
    double sum = 0;
    int drawn = 0;
    for (size_t i = 0; i < rhos_.size(); ++i) {
      sum += counts[i] * rhos_[i];
      drawn += counts[i];
    }
    return drawn > 0 ? sum / drawn : kNan;
  }

  std::vector<double> rhos_;
  std::vector<uint64_t> seeds_; // of the rhos
  int runs_ = 0;
};

} // namespace

std::vector<Correlation> correlate(const Sample& sample) {
  std::vector<Correlation> all;
  const std::vector<Quantity> wanted = quantities();
  for (const Choices& stratum : sample.strata()) {
    for (const Quantity& quantity : wanted) {
      Parts parts;
      parts.add(sample, stratum, quantity);
      if (!parts.empty()) all.push_back(parts.correlation(quantity, stratum));
    }
  }
  if (sample.strata().size() < 2) return all;
  for (const Quantity& quantity : wanted) {
    Parts parts;
    for (const Choices& stratum : sample.strata())
      parts.add(sample, stratum, quantity);
    if (!parts.empty())
      all.push_back(parts.correlation(quantity, std::nullopt));
  }
  return all;
}

} // namespace grapevine::report
