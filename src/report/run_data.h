// What a report needs of one run: a few hundred numbers per curve, however
// long the run was. Bytes and messages are cumulative and per worker.
#pragma once

#include "algo/agreement.h"
#include "report/blame.h"
#include "report/curves.h"
#include "report/gossip.h"
#include "report/statistics.h"
#include "spec/spec.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::report {

// A value per step for each tensor: heat[tensor][step].
struct Heat {
  std::string name;
  std::vector<Column> rows;
};

// A tensor's norm on some replicas: values[replica][step].
struct TensorNorms {
  std::string tensor;
  std::vector<int64_t> step;
  std::vector<int> replicas;
  std::vector<Column> values;
};

// A replica whose norm of a tensor stands out in a share of the probes.
struct Outlier {
  std::string tensor;
  int replica = 0;
  double share = 0;
  double z = 0; // the robust z farthest from 0
};

struct Detail {
  std::vector<std::string> tensors;
  std::vector<int64_t> step;
  Column epoch;
  std::vector<Heat> heat;
  std::vector<TensorNorms> norms;
  std::vector<Outlier> outliers; // largest share first
};

// A metric's mean over tensors and probes: of the whole run and of its thirds.
inline constexpr std::array<const char*, 4> kPhases = {
    "all",
    "early",
    "middle",
    "late"};
struct Phases {
  std::string metric;
  std::array<double, kPhases.size()> mean = {kNan, kNan, kNan, kNan};
};

// An evaluation that was better than all before it.
struct Milestone {
  int64_t step = 0;
  double accuracy = 0; // mean over the replicas
  double epoch = kNan;
  double seconds = kNan;
  double messages = kNan;
  double bytes = kNan;
};

// From this step on the workers had this degree.
struct DegreeChange {
  int64_t step = 0;
  double degree = 0;
};

struct RunData {
  std::string path; // as given
  std::string name; // of the directory
  spec::Spec spec;
  std::string outcome; // completed | diverged | interrupted | failed | running
  std::string error;
  nlohmann::json result; // of run.json; null if there is none

  int64_t steps = 0; // seen in the records
  double steps_per_epoch = kNan;
  int64_t broken_lines = 0;

  double accuracy = kNan; // the result's, as are the following
  double averaged_accuracy = kNan;
  double consensus_distance = kNan;
  double bytes_per_worker = kNan;
  double messages_per_worker = kNan;
  double seconds = kNan;
  double mean_degree = kNan;
  double first_gini = kNan; // first tensor, mean over the first epoch

  std::vector<Phases> dispersion; // in the order of the metric table
  std::vector<Milestone> milestones;
  std::vector<DegreeChange> degrees;

  // By the name of their table (record/schema.h).
  std::map<std::string, Curves, std::less<>> curves = no_curves();
  std::vector<std::pair<std::string, double>> spans; // seconds by span
  // Of runs whose workers recorded for which peers they waited; without the
  // single waits if the run has no detail, or too many of them.
  std::optional<Blame> blame;
  std::optional<Gossip> gossip; // of asynchronous runs
  std::optional<Detail> detail;

  // Its steps are then rounds: n gradients of all workers together.
  bool is_asynchronous() const {
    return algo::find_agreement(spec.agreement).is_asynchronous();
  }
  // Whether its accuracy is a result to compare: it came to its end, or
  // diverged on the way there and was evaluated.
  bool counts() const {
    return (outcome == "completed" || outcome == "diverged") &&
           std::isfinite(accuracy);
  }
};

// Returns object[key]; NaN if it is no number.
inline double number_in(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return kNan;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return kNan;
  return found->get<double>();
}

} // namespace grapevine::report
