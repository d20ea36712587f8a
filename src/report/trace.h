// A run's timelines as a trace, for ui.perfetto.dev and chrome://tracing: the
// JSON object of the Trace Event Format, complete events ("X"), and
// instants ("i") for averagings that take no time, as without a clock.
//
//   process   a worker
//   thread 0  its training: data, forward, backward, in it wait and update
//   thread 1  its communication: exchange, beside the others
//   args      step; bucket and peer if they are known
//
// Times are in microseconds since the run's first event. Clocks of several
// machines are taken as they are.
#pragma once

#include "record/run_directory.h"

#include <cstdint>
#include <filesystem>

namespace grapevine::report {

// Writes the `timeline` records of the run that count and
// returns the number of events; if there are none, nothing is written. The
// memory that it takes does not depend on the run's length. IoError if
// records cannot be read or the file cannot be written.
int64_t write_trace(
    const record::RunDirectory& run,
    const std::filesystem::path& file);

} // namespace grapevine::report
