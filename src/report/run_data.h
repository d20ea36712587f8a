// What a report needs of one run: a few hundred numbers a curve, however long
// the run was. Columns of one curve have one length; NaN is "not known".
//
// Bytes and messages are cumulative and a worker's (total / n). Epochs are
// steps done / steps an epoch, so 1.0 is the end of the first one.
#pragma once

#include "algo/agreement.h"
#include "report/axis.h"
#include "report/blame.h"
#include "report/gossip.h"
#include "report/statistics.h"
#include "spec/spec.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::report {

// A curve by the name of what it shows.
struct NamedBand {
  std::string name;
  Band band;
};

struct StepCurves {
  Axis axis;
  Band loss;
  Column lr;
  Column degree;
};

struct EvaluationCurves {
  Axis axis;
  Band accuracy;
  Column averaged_accuracy;
  Band loss;
  Column averaged_loss;
  Column train_loss;
};

struct ProbeCurves {
  Axis axis;
  std::vector<NamedBand> metrics; // in the order of the metric table
  Band consensus_distance;
  Band gradient_norm;
  Band update_ratio;
};

// Ada auto: the spread that steers k.
struct DensityCurves {
  std::vector<int64_t> step;
  Column epoch;
  Column spread;
  Column level;
  Column k;
};

// A value a step for each tensor: heat[tensor][step].
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

// Mean over tensors and probes: of the whole run and of its thirds.
struct Phases {
  std::string metric;
  double all = kNan;
  double early = kNan;
  double middle = kNan;
  double late = kNan;
};
inline constexpr std::array<const char*, 4> kPhases = {
    "all",
    "early",
    "middle",
    "late"};
double phase_of(const Phases& phases, int phase);

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
  nlohmann::json result; // of run.json; null where there is none

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

  StepCurves step_curves;
  EvaluationCurves evaluations;
  ProbeCurves probes;
  std::vector<std::pair<std::string, double>> spans; // seconds by span
  // Of runs whose workers said whom they waited for; without the single waits
  // where the run has no detail, or too many of them.
  std::optional<Blame> blame;
  std::optional<Gossip> gossip; // of asynchronous runs
  std::optional<DensityCurves> density;
  std::optional<Detail> detail;

  // Its steps are then rounds: n gradients, whoever computed them.
  bool is_asynchronous() const {
    return algo::find_agreement(spec.agreement).is_asynchronous();
  }
  // Whether its accuracy is a result to compare: it came to its end, or
  // diverged on the way there and was evaluated.
  bool counts() const;
};

// The number of object[key]; NaN where it is none.
double number_in(const nlohmann::json& object, const char* key);

} // namespace grapevine::report
