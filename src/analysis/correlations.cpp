#include "analysis/correlations.h"

#include "analysis/bootstrap.h"
#include "analysis/spearman.h"
#include "probe/metric.h"

#include <cmath>
#include <functional>
#include <set>

namespace grapevine::analysis {
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
  for (const probe::Metric& metric : probe::metric_table()) {
    for (int phase = 0; phase < static_cast<int>(kPhases.size()); ++phase) {
      all.push_back({metric.name, metric.title, phase, [=](const RunData& run) {
                       return index < run.dispersion.size()
                                  ? phase_of(run.dispersion[index], phase)
                                  : kNan;
                     }});
    }
    ++index;
  }
  return all;
}

// The pairs of one stratum, and where they lie among those of all strata.
struct Part {
  size_t first;
  size_t count;
  SpearmanOfDrawings rho;
};

class Pairs {
 public:
  // A stratum in which nothing can be said adds nothing.
  void
  add(const Sample& sample, const Choices& stratum, const Quantity& quantity) {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<uint64_t> seeds;
    for (const int index : sample.decentralized_in(stratum)) {
      const RunData& run = sample.runs()[index];
      const double value = quantity.value(run);
      if (!std::isfinite(value)) continue;
      x.push_back(value);
      y.push_back(run.accuracy);
      seeds.push_back(run.spec.seed);
    }
    if (x.size() < kFewestRuns || !std::isfinite(spearman(x, y))) return;
    parts_.push_back({seeds_.size(), x.size(), SpearmanOfDrawings(x, y)});
    seeds_.insert(seeds_.end(), seeds.begin(), seeds.end());
  }

  Correlation correlation(const Quantity& quantity, Stratum stratum) const {
    Correlation result{
        .with = quantity.name,
        .title = quantity.title,
        .phase = quantity.phase,
        .stratum = std::move(stratum)};
    result.runs = static_cast<int>(seeds_.size());
    result.seeds = static_cast<int>(
        std::set<uint64_t>(seeds_.begin(), seeds_.end()).size());
    result.rho = mean_rho(std::vector<int>(seeds_.size(), 1));
    result.interval = bootstrap_over_seeds(
        seeds_,
        [this](std::span<const int> counts) { return mean_rho(counts); });
    return result;
  }

  bool empty() const { return parts_.empty(); }
  size_t parts() const { return parts_.size(); }

 private:
  double mean_rho(std::span<const int> counts) const {
    double sum = 0;
    int defined = 0;
    for (const Part& part : parts_) {
      const double rho = part.rho(counts.subspan(part.first, part.count));
      if (!std::isfinite(rho)) continue;
      sum += rho;
      ++defined;
    }
    return defined > 0 ? sum / defined : kNan;
  }

  std::vector<Part> parts_;
  std::vector<uint64_t> seeds_; // of the runs of all parts
};

} // namespace

std::vector<Correlation> correlate(const Sample& sample) {
  std::vector<Correlation> all;
  const std::vector<Quantity> wanted = quantities();
  for (const Choices& stratum : sample.strata()) {
    for (const Quantity& quantity : wanted) {
      Pairs pairs;
      pairs.add(sample, stratum, quantity);
      if (!pairs.empty()) all.push_back(pairs.correlation(quantity, stratum));
    }
  }
  if (sample.strata().size() < 2) return all;
  for (const Quantity& quantity : wanted) {
    Pairs pairs;
    for (const Choices& stratum : sample.strata())
      pairs.add(sample, stratum, quantity);
    if (pairs.parts() > 1) {
      all.push_back(pairs.correlation(quantity, std::nullopt));
    }
  }
  return all;
}

} // namespace grapevine::analysis
