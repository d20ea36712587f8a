// What happens to a run's directory before its first step: is it this run's,
// has it ended before, how often was it begun, and may it begin at all.
#pragma once

#include "mix/cluster.h"
#include "mix/fingerprint.h"
#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "record/run_lock.h"
#include "run/run_config.h"
#include "run/trainer.h"
#include "spec/spec.h"

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <optional>

namespace grapevine::run {

// What must be equal on all processes.
mix::Fingerprint fingerprint(const RunConfig& config);

// ConfigError and IoError for initial values and costs that do not fit.
void check_inputs(const RunConfig& config);

// Of a run that has ended in this directory, if there is one. ConfigError
// where it is one of another spec, IoError.
std::optional<TrainResult> stored_result(
    const record::RunDirectory& directory,
    const spec::Spec& spec);

// The first process looks at the directory, and keeps it locked; all act on
// what it found: the result of a run that has ended, if it is there. With
// `fresh`, what is there is removed instead. Refuses a run of another spec, or
// of inputs that are others under the same names. Collective; all throw where
// the first one refuses.
std::optional<TrainResult> open_directory(
    mix::Cluster& cluster,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const mix::Fingerprint& parts,
    std::optional<record::RunLock>& lock);

// A new attempt: the directory is made and holds the spec. Collective; the
// attempt's number, from 0.
int begin_attempt(
    mix::Cluster& cluster,
    const record::RunDirectory& directory,
    const spec::Spec& spec);

// How many attempts have begun, as run.json has it: each is counted there
// before it writes its first record.
int attempts_before(const record::RunDirectory& directory);

// run.json while the attempt runs.
nlohmann::json run_description(
    const RunConfig& config,
    const mix::Fingerprint& fingerprint,
    int attempt);

// What run.json says once it has ended. IoError.
void write_result(
    const record::RunDirectory& directory,
    nlohmann::json description,
    const TrainResult& result);
// Tells TrainHooks::on_result of it, where it is complete, and returns it.
TrainResult report_result(TrainResult result, const TrainHooks& hooks);
// An error that run.json cannot be written with is lost: the first one says
// more.
void write_failure(
    const record::RunDirectory& directory,
    nlohmann::json description,
    const std::exception& error);

} // namespace grapevine::run
