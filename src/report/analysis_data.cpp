// Groups and what was found about them, as JSON.
#include "report/page_data.h"

#include <functional>

namespace grapevine::report {
namespace {

using report::Group;
using report::RunData;
using report::Summary;

// Over the runs of a group that count.
Summary
over_runs(const ReportData& data, const Group& group, double RunData::*field) {
  std::vector<double> values;
  for (const int index : group.runs) {
    const RunData& run = data.set.runs[index];
    if (run.counts()) values.push_back(run.*field);
  }
  return report::summarize(values);
}

void write_group(JsonWriter& json, const ReportData& data, const Group& group) {
  json.begin_object();
  json.integer("id", group.id);
  json.text("label", group.label);
  json.key("keys");
  write_choices(json, group.keys);
  json.integer("n", group.n);
  json.boolean("decentralized", group.decentralized);
  json.key("runs");
  json.begin_array();
  for (const int run : group.runs)
    json.integer(run);
  json.end_array();
  const auto field = [&](const char* name, double RunData::*member) {
    json.key(name);
    write_summary(json, over_runs(data, group, member));
  };
  field("accuracy", &RunData::accuracy);
  field("averaged_accuracy", &RunData::averaged_accuracy);
  json.key("perplexity");
  json.null();
  field("bytes_per_worker", &RunData::bytes_per_worker);
  field("messages_per_worker", &RunData::messages_per_worker);
  field("seconds", &RunData::seconds);
  field("consensus_distance", &RunData::consensus_distance);
  field("mean_degree", &RunData::mean_degree);
  field("first_gini", &RunData::first_gini);
  json.end_object();
}

void write_stratum(JsonWriter& json, const report::Stratum& stratum) {
  json.key("stratum");
  if (stratum) {
    write_choices(json, *stratum);
  } else {
    json.null();
  }
}

void write_target(JsonWriter& json, const report::Target& target) {
  json.begin_object();
  json.number("accuracy", target.accuracy);
  json.boolean("given", target.given);
  json.key("rows");
  json.begin_array();
  for (const report::TargetRow& row : target.rows) {
    json.begin_object();
    json.integer("group", row.group);
    json.integer("reached", row.reached);
    json.integer("runs", row.runs);
    json.key("epochs");
    write_summary(json, row.epochs);
    json.key("seconds");
    write_summary(json, row.seconds);
    json.key("messages_per_worker");
    write_summary(json, row.messages_per_worker);
    json.key("bytes_per_worker");
    write_summary(json, row.bytes_per_worker);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_ranking(JsonWriter& json, const report::Ranking& ranking) {
  json.begin_object();
  write_stratum(json, ranking.stratum);
  json.key("rows");
  json.begin_array();
  for (const report::RankingRow& row : ranking.rows) {
    json.begin_object();
    json.integer("group", row.group);
    json.integer("rank", row.rank);
    json.key("accuracy");
    write_summary(json, row.accuracy);
    json.key("not_worse_than_best");
    if (row.not_worse_than_best) {
      json.boolean(*row.not_worse_than_best);
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_correlation(
    JsonWriter& json,
    const report::Correlation& correlation) {
  json.begin_object();
  json.text("with", correlation.with);
  json.text("title", correlation.title);
  json.text(
      "phase",
      report::kPhases.at(static_cast<size_t>(correlation.phase)));
  write_stratum(json, correlation.stratum);
  json.number("rho", correlation.rho);
  json.number("low", correlation.interval.low);
  json.number("high", correlation.interval.high);
  json.integer("runs", correlation.runs);
  json.integer("seeds", correlation.seeds);
  json.end_object();
}

void write_comparison(JsonWriter& json, const report::Comparison& comparison) {
  json.begin_object();
  json.text("what", comparison.what);
  write_stratum(json, comparison.stratum);
  json.integer("a", comparison.a);
  json.integer("b", comparison.b);
  json.number("difference", comparison.difference.mean);
  json.number("low", comparison.difference.interval.low);
  json.number("high", comparison.difference.interval.high);
  json.integer("seeds", comparison.difference.count);
  json.end_object();
}

template <typename List, typename Write>
void write_list(JsonWriter& json, const List& list, const Write& write) {
  json.begin_array();
  for (const auto& item : list)
    write(json, item);
  json.end_array();
}

} // namespace

void write_groups(JsonWriter& json, const ReportData& data) {
  json.begin_array();
  for (const Group& group : data.set.grouping.groups)
    write_group(json, data, group);
  json.end_array();
}

void write_analysis(JsonWriter& json, const ReportData& data) {
  json.begin_object();
  json.key("target");
  write_target(json, data.analysis.target);
  json.key("rankings");
  write_list(json, data.analysis.rankings, write_ranking);
  json.key("correlations");
  write_list(json, data.analysis.correlations, write_correlation);
  json.key("comparisons");
  write_list(json, data.analysis.comparisons, write_comparison);
  json.key("findings");
  write_list(
      json,
      data.analysis.findings,
      [](JsonWriter& out, const std::string& text) { out.text(text); });
  json.end_object();
}

} // namespace grapevine::report
