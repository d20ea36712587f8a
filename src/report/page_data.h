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
  report::RunSet set;
  report::Analysis analysis;
  std::vector<report::GraphFrames> graphs;
};

// All of it, without spaces.
std::string page_data(const ReportData& data);

// Parts, for the page and for --json: each writes one value.
void write_groups(JsonWriter& json, const ReportData& data);
void write_analysis(JsonWriter& json, const ReportData& data);
void write_skipped(JsonWriter& json, const ReportData& data);
void write_run(JsonWriter& json, const ReportData& data, int run);
void write_graphs(JsonWriter& json, const ReportData& data);
void write_blame(JsonWriter& json, const report::Blame& blame);
// Those of all runs that have one, by path.
void write_blames(JsonWriter& json, const ReportData& data);
void write_gossip(JsonWriter& json, const report::Gossip& gossip);
// Those of all asynchronous runs, by path.
void write_gossips(JsonWriter& json, const ReportData& data);

void write_summary(JsonWriter& json, const report::Summary& summary);
void write_choices(JsonWriter& json, const report::Choices& choices);

} // namespace grapevine::report
