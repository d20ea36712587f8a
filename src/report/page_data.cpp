#include "report/page_data.h"

#include "record/metrics/metric.h"

namespace grapevine::report {
namespace {

void write_texts(JsonWriter& json, const std::vector<std::string>& texts) {
  json.begin_array();
  for (const std::string& text : texts)
    json.text(text);
  json.end_array();
}

void write_metrics(JsonWriter& json) {
  json.begin_array();
  for (const record::Metric& metric : record::metric_table()) {
    json.begin_object();
    json.text("name", metric.name);
    json.text("title", metric.title);
    json.text("meaning", metric.meaning);
    json.end_object();
  }
  json.end_array();
}

const char* kind_name(report::Frame::Kind kind) {
  switch (kind) {
    case report::Frame::Kind::kComplete:
      return "complete";
    case report::Frame::Kind::kOffsets:
      return "offsets";
    case report::Frame::Kind::kEdges:
      return "edges";
  }
  return "";
}

void write_frame(JsonWriter& json, const report::Frame& frame) {
  json.begin_object();
  json.integer("step", frame.step);
  json.integer("epoch", frame.epoch);
  json.number("degree", frame.degree);
  json.boolean("directed", frame.directed);
  json.text("kind", kind_name(frame.kind));
  if (frame.kind == report::Frame::Kind::kOffsets) {
    json.key("offsets");
    json.begin_array();
    for (const int offset : frame.offsets)
      json.integer(offset);
    json.end_array();
  }
  // Too many to be listed are none here, and the page says so.
  const bool has_edges = !frame.edges.empty() || frame.degree == 0;
  if (frame.kind == report::Frame::Kind::kEdges && has_edges) {
    json.key("edges");
    json.begin_array();
    for (const auto& [a, b] : frame.edges) {
      json.begin_array();
      json.integer(a);
      json.integer(b);
      json.end_array();
    }
    json.end_array();
  }
  json.end_object();
}

} // namespace

void write_summary(JsonWriter& json, const report::Summary& summary) {
  json.begin_object();
  json.number("mean", summary.mean);
  json.number("sd", summary.sd);
  json.integer("count", summary.count);
  json.end_object();
}

void write_choices(JsonWriter& json, const report::Choices& choices) {
  json.begin_object();
  for (const auto& [key, value] : choices) {
    json.key(key);
    json.text(value);
  }
  json.end_object();
}

void write_skipped(JsonWriter& json, const ReportData& data) {
  json.begin_array();
  for (const report::Skipped& skipped : data.set.skipped) {
    json.begin_object();
    json.text("path", skipped.path);
    json.text("why", skipped.why);
    json.end_object();
  }
  json.end_array();
}

void write_graphs(JsonWriter& json, const ReportData& data) {
  json.begin_array();
  for (const report::GraphFrames& graph : data.graphs) {
    json.begin_object();
    json.text("label", data.set.grouping.groups[graph.group].label);
    json.integer("group", graph.group);
    json.integer("n", graph.n);
    json.key("frames");
    json.begin_array();
    for (const report::Frame& frame : graph.frames)
      write_frame(json, frame);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

std::string page_data(const ReportData& data) {
  JsonWriter json;
  json.begin_object();
  json.integer("format_version", 1);
  json.text("title", data.title);
  json.text("created", data.created);
  json.text("program", data.program);
  json.key("skipped");
  write_skipped(json, data);
  json.key("notes");
  write_texts(json, data.set.notes);
  json.key("metrics");
  write_metrics(json);
  json.key("keys");
  write_texts(json, data.set.grouping.keys);
  json.key("common");
  write_choices(json, data.set.grouping.common);
  json.key("groups");
  write_groups(json, data);
  json.key("runs");
  json.begin_array();
  for (size_t run = 0; run < data.set.runs.size(); ++run)
    write_run(json, data, static_cast<int>(run));
  json.end_array();
  json.key("graphs");
  write_graphs(json, data);
  json.key("analysis");
  write_analysis(json, data);
  json.end_object();
  return json.take();
}

} // namespace grapevine::report
