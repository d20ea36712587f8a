// Gathers a run's detail: the probes' series tensor by tensor, and the norms of
// every replica. Memory is bounded: heat is down-sampled as curves are, and of
// the norms an evenly spaced choice of probes is kept.
#pragma once

#include "report/buckets.h"
#include "report/run_data.h"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace grapevine::report {

struct DetailOptions {
  int replicas = 0;
  int64_t numbers_of_heat = 0;
  int64_t numbers_of_norms = 0;
  std::vector<std::string> metrics; // and what else has a value a tensor
};

// The norms of all tensors on all replicas at a probe: [replica][tensor].
using NormMatrix = std::vector<float>;

class DetailReader {
 public:
  explicit DetailReader(DetailOptions options);

  // From the first "attempt" line. Later ones change nothing.
  void set_tensors(std::vector<std::string> tensors);
  // A "dispersion" line.
  void add_dispersion(int64_t step, const simdjson::dom::object& fields);
  // A "norms" line of a process that hosts `workers`.
  void add_norms(
      int64_t step,
      const std::vector<int>& workers,
      const simdjson::dom::object& fields);

  Detail finish(const Timeline& timeline) const;
  bool empty() const { return tensors_.empty(); }

 private:
  NormMatrix* matrix_at(int64_t step);
  void fill_heat(Detail& detail) const;

  DetailOptions options_;
  std::vector<std::string> tensors_;
  std::vector<Buckets> heat_; // a metric each; a column a tensor
  size_t most_probes_ = 0;
  int64_t stride_ = 1; // steps that are no multiple of it are left out
  std::map<int64_t, NormMatrix> norms_;
};

// Who stands out: |robust z| over the replicas above 3.5, by share of the
// probes, at most `most`.
std::vector<Outlier> find_outliers(
    const std::map<int64_t, NormMatrix>& norms,
    const std::vector<std::string>& tensors,
    int replicas,
    size_t most);

// The norms for the page: all of them, or an even choice of steps, replicas
// (outliers among them) and tensors that has at most `numbers` numbers.
std::vector<TensorNorms> choose_norms(
    const std::map<int64_t, NormMatrix>& norms,
    const std::vector<std::string>& tensors,
    int replicas,
    const std::vector<Outlier>& outliers,
    int64_t numbers);

} // namespace grapevine::report
