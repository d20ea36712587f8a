// The data of a report as JSON: what the page's script reads, and what
// `grapevine report --json` prints in part. Version 1.
#pragma once

#include "report/analysis.h"
#include "report/graph_frames.h"
#include "report/json_writer.h"
#include "report/load.h"

#include <string>
#include <vector>

namespace grapevine::report {

struct ReportData {
  std::string title;
  std::string created; // ISO 8601, UTC
  std::string program; // "grapevine 0.1.0"
  RunSet set;
  Analysis analysis;
  std::vector<GraphFrames> graphs;
};

// All of it, without spaces.
std::string page_data(const ReportData& data);

// Parts, for the page and for --json: each writes one value.
void write_schema(JsonWriter& json);
void write_groups(JsonWriter& json, const ReportData& data);
void write_analysis(JsonWriter& json, const ReportData& data);
void write_skipped(JsonWriter& json, const ReportData& data);
void write_run(JsonWriter& json, const ReportData& data, int run);
// Of all runs that have one, by path.
void write_blames(JsonWriter& json, const ReportData& data);
void write_gossips(JsonWriter& json, const ReportData& data);

} // namespace grapevine::report
