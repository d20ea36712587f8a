// Who tells what a run has come to: one process, once.
#pragma once

#include "record/run_directory.h"
#include "spec/spec.h"
#include "train/trainer.h"
#include "transport/edges.h"

#include <optional>

namespace grapevine::train {

// To TrainHooks::on_result, where the result is complete. Returns the result.
TrainResult report_result(TrainResult result, const TrainHooks& hooks);

// What an asynchronous run has come to, where it is at its end without this
// process; else nothing. Told here if no other process is known to do so.
std::optional<TrainResult> result_without_it(
    transport::Edges& edges,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const TrainHooks& hooks);

} // namespace grapevine::train
