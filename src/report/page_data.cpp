#include "report/page_data.h"

#include "record/dispersion.h"

namespace grapevine::report {
namespace {

const char* kind_name(Frame::Kind kind) {
  switch (kind) {
    case Frame::Kind::kComplete:
      return "complete";
    case Frame::Kind::kOffsets:
      return "offsets";
    case Frame::Kind::kEdges:
      return "edges";
  }
  return "";
}

void write_frame(JsonWriter& json, const Frame& frame) {
  json.field("step", frame.step);
  json.field("epoch", frame.epoch);
  json.field("degree", frame.degree);
  json.field("directed", frame.directed);
  json.field("kind", kind_name(frame.kind));
  if (frame.kind == Frame::Kind::kOffsets) json.field("offsets", frame.offsets);
  // Too many edges are left out, with a note on the page.
  const bool has_edges = !frame.edges.empty() || frame.degree == 0;
  if (frame.kind == Frame::Kind::kEdges && has_edges) {
    std::vector<std::array<int, 2>> edges;
    for (const auto& [a, b] : frame.edges)
      edges.push_back({a, b});
    json.field("edges", edges);
  }
}

// null without choices.
void write_choices(
    JsonWriter& json,
    std::string_view name,
    const Stratum& choices) {
  json.object_of(name, choices, [&](const Choices& known) {
    for (const auto& [key, value] : known)
      json.field(key, value);
  });
}

void write_summary(
    JsonWriter& json,
    std::string_view name,
    const Summary& summary) {
  json.object(name, [&] {
    json.field("mean", summary.mean);
    json.field("sd", summary.sd);
    json.field("count", summary.count);
  });
}

// A summary over the runs of the group that count.
struct GroupFigure {
  const char* name;
  double RunData::*value;
};
constexpr GroupFigure kGroupFigures[] = {
    {"accuracy", &RunData::accuracy},
    {"averaged_accuracy", &RunData::averaged_accuracy},
    {"bytes_per_worker", &RunData::bytes_per_worker},
    {"messages_per_worker", &RunData::messages_per_worker},
    {"seconds", &RunData::seconds},
    {"consensus_distance", &RunData::consensus_distance},
    {"mean_degree", &RunData::mean_degree},
    {"first_gini", &RunData::first_gini}};

void write_group(JsonWriter& json, const ReportData& data, const Group& group) {
  json.field("id", group.id);
  json.field("label", group.label);
  write_choices(json, "keys", group.keys);
  json.field("n", group.n);
  json.field("decentralized", group.decentralized);
  json.field("runs", group.runs);
  json.key("perplexity");
  json.null();
  for (const GroupFigure& figure : kGroupFigures) {
    std::vector<double> values;
    for (const int index : group.runs) {
      const RunData& run = data.set.runs[index];
      if (run.counts()) values.push_back(run.*figure.value);
    }
    write_summary(json, figure.name, summarize(values));
  }
}

void write_target(JsonWriter& json, const Target& target) {
  json.field("accuracy", target.accuracy);
  json.field("given", target.given);
  json.objects("rows", target.rows, [&](const TargetRow& row) {
    json.field("group", row.group);
    json.field("reached", row.reached);
    json.field("runs", row.runs);
    write_summary(json, "epochs", row.epochs);
    write_summary(json, "seconds", row.seconds);
    write_summary(json, "messages_per_worker", row.messages_per_worker);
    write_summary(json, "bytes_per_worker", row.bytes_per_worker);
  });
}

void write_ranking(JsonWriter& json, const Ranking& ranking) {
  write_choices(json, "stratum", ranking.stratum);
  json.objects("rows", ranking.rows, [&](const RankingRow& row) {
    json.field("group", row.group);
    json.field("rank", row.rank);
    write_summary(json, "accuracy", row.accuracy);
    json.field("not_worse_than_best", row.not_worse_than_best);
  });
}

void write_correlation(JsonWriter& json, const Correlation& correlation) {
  json.field("with", correlation.with);
  json.field("title", correlation.title);
  json.field("phase", kPhases.at(static_cast<size_t>(correlation.phase)));
  write_choices(json, "stratum", correlation.stratum);
  json.field("rho", correlation.rho);
  json.field("low", correlation.interval.low);
  json.field("high", correlation.interval.high);
  json.field("runs", correlation.runs);
  json.field("seeds", correlation.seeds);
}

void write_comparison(JsonWriter& json, const Comparison& comparison) {
  json.field("what", comparison.what);
  write_choices(json, "stratum", comparison.stratum);
  json.field("a", comparison.a);
  json.field("b", comparison.b);
  json.field("difference", comparison.difference.mean);
  json.field("low", comparison.difference.interval.low);
  json.field("high", comparison.difference.interval.high);
  json.field("seeds", comparison.difference.count);
}

} // namespace

void write_schema(JsonWriter& json) {
  json.object([&] {
    json.objects("axes", record::axis_series(), [&](const auto& axis) {
      json.field("name", axis.name);
      json.field("title", axis.title);
      json.field("unit", axis.unit);
    });
    json.objects("tables", record::series_tables(), [&](const auto& table) {
      json.field("name", table.name);
      json.field("title", table.title);
      json.field("path", table.path);
      json.objects("series", table.series, [&](const record::Series& series) {
        std::vector<std::string> path = table.path;
        if (!series.folder.empty()) path.push_back(series.folder);
        path.push_back(series.name);
        json.field("name", series.name);
        json.field("title", series.title);
        json.field("unit", series.unit);
        json.field("per", record::name(series.per));
        json.field("band", series.has_band);
        json.field("optional", series.is_optional);
        json.field("path", path);
      });
    });
  });
}

void write_skipped(JsonWriter& json, const ReportData& data) {
  json.objects(data.set.skipped, [&](const Skipped& skipped) {
    json.field("path", skipped.path);
    json.field("why", skipped.why);
  });
}

void write_groups(JsonWriter& json, const ReportData& data) {
  json.objects(data.set.grouping.groups, [&](const Group& group) {
    write_group(json, data, group);
  });
}

void write_analysis(JsonWriter& json, const ReportData& data) {
  const Analysis& analysis = data.analysis;
  json.object([&] {
    json.object("target", [&] { write_target(json, analysis.target); });
    json.objects("rankings", analysis.rankings, [&](const Ranking& ranking) {
      write_ranking(json, ranking);
    });
    json.objects("correlations", analysis.correlations, [&](const auto& one) {
      write_correlation(json, one);
    });
    json.objects("comparisons", analysis.comparisons, [&](const auto& one) {
      write_comparison(json, one);
    });
    json.field("findings", analysis.findings);
  });
}

std::string page_data(const ReportData& data) {
  const Grouping& grouping = data.set.grouping;
  JsonWriter json;
  json.object([&] {
    json.field("format_version", 1);
    json.field("title", data.title);
    json.field("created", data.created);
    json.field("program", data.program);
    json.key("skipped");
    write_skipped(json, data);
    json.field("notes", data.set.notes);
    json.objects("metrics", record::metric_table(), [&](const auto& metric) {
      json.field("name", metric.name);
      json.field("title", metric.title);
      json.field("meaning", metric.meaning);
    });
    json.key("schema");
    write_schema(json);
    json.field("keys", grouping.keys);
    write_choices(json, "common", grouping.common);
    json.key("groups");
    write_groups(json, data);
    json.key("runs");
    json.begin_array();
    for (size_t run = 0; run < data.set.runs.size(); ++run)
      write_run(json, data, static_cast<int>(run));
    json.end_array();
    json.objects("graphs", data.graphs, [&](const GraphFrames& graph) {
      json.field("label", grouping.groups[graph.group].label);
      json.field("group", graph.group);
      json.field("n", graph.n);
      json.objects("frames", graph.frames, [&](const Frame& frame) {
        write_frame(json, frame);
      });
    });
    json.key("analysis");
    write_analysis(json, data);
  });
  return json.take();
}

} // namespace grapevine::report
