// What runs of every kind file and report in the same form.
#pragma once

#include "graph/schedule.h"
#include "mix/cluster.h"
#include "record/consensus_sample.h"
#include "record/spans.h"
#include "run/evaluator.h"
#include "run/run_config.h"
#include "run/trainer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::run {

// How replicas are evaluated.
EvaluatorOptions evaluator_options(const RunConfig& config);

// Of all replicas, on some pieces of their parameters; the pieces' mean stays
// in `mean`, from its beginning. Collective.
double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    const record::ConsensusSample& sample,
    std::span<float> mean);
// On all of them.
double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    std::span<float> mean);

// The first record of an attempt: who is hosted here, and what of.
nlohmann::json attempt_record(
    int attempt,
    int64_t step,
    const std::vector<int>& hosted,
    const std::string& transport,
    const RunConfig& config,
    const tensor::Layout& layout);

// moment: of the last step before it.
nlohmann::json spans_record(
    const record::Spans& spans,
    const graph::StepTime& moment);

// moment: of the last step before it.
nlohmann::json evaluation_record(
    const Evaluation& evaluation,
    const graph::StepTime& moment,
    double seconds,
    double train_loss);

// rows: of all workers, a place for each tensor's norm, then for its
// gradient's, then for the ratio of its update to itself.
nlohmann::json dispersion_record(
    const mix::Rows& rows,
    int64_t tensors,
    const graph::StepTime& moment,
    double consensus_distance);

// What of a result an evaluation knows; without one it is not a number.
void add_evaluation(
    const std::optional<Evaluation>& evaluation,
    TrainResult& result);

// After `steps` steps that took `seconds`.
Progress make_progress(
    const RunConfig& config,
    const std::string& phase,
    int64_t steps,
    const std::vector<double>& losses,
    const std::optional<Evaluation>& evaluation,
    double degree,
    double seconds);

} // namespace grapevine::run
