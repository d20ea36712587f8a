// What a worker did when, as the records have it ("timeline" in
// docs/formats.md).
#pragma once

#include "record/spans.h"
#include "spec/spec.h"

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
std::vector<TimelineRow> timeline_rows(const record::Timeline& timeline);
// The same from virtual seconds.
TimelineRow
virtual_row(std::string_view span, double begin, double end, int peer = -1);

// Whether a step's events are recorded: of every trace_every steps two in a
// row, so that it can be seen which exchange overlaps with what.
bool is_traced(const spec::Spec& spec, int64_t step);

} // namespace grapevine::run
