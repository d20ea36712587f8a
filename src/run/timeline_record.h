// What a worker did when, as a line of a run's records.
#pragma once

#include "record/spans.h"
#include "spec/spec.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace grapevine::run {

// Times are in microseconds: real ones since 1970, which all processes of a
// machine share, and those of a cluster as far as its clocks agree; virtual
// ones since the run began.
struct TimelineRow {
  std::string_view span;
  int64_t begin = 0;
  int64_t duration = 0;
  int bucket = -1;
  int peer = -1;
};

TimelineRow row_of(const record::Event& event);
// Of virtual seconds.
TimelineRow
virtual_row(std::string_view span, double begin, double end, int peer = -1);

// Whether a step's events are recorded: two steps behind each other, so that
// what hides behind what can be seen, every trace_every steps.
bool is_traced(const spec::Spec& spec, int64_t step);

// docs/formats.md, "timeline".
nlohmann::json
timeline_record(int64_t step, int worker, const std::vector<TimelineRow>& rows);

} // namespace grapevine::run
