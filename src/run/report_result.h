// Who tells what a run has come to: one process, once.
#pragma once

#include "member/edges.h"
#include "record/run_directory.h"
#include "run/trainer.h"
#include "spec/spec.h"

#include <optional>

namespace grapevine::run {

// To TrainHooks::on_result, where the result is complete. Returns the result.
TrainResult report_result(TrainResult result, const TrainHooks& hooks);

// What an asynchronous run has come to, where it is at its end without this
// process; else nothing. Told here if no other process is known to do so.
std::optional<TrainResult> result_without_it(
    member::Edges& edges,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const TrainHooks& hooks);

} // namespace grapevine::run
