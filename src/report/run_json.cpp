// One run as JSON.
#include "report/page_data.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

// Colours and lines a pixel wide need no more.
constexpr int kDetailDigits = 5;
// Replicas agree in their first digits, so norms need all of them.
constexpr int kNormDigits = 7;
constexpr int kGossipDigits = 5;

// Whether nothing is known; an empty curve is known to be empty.
bool is_unknown(const Column& values) {
  return !values.empty() && std::ranges::none_of(values, [](double value) {
    return std::isfinite(value);
  });
}

void write_column(
    JsonWriter& json,
    std::string_view name,
    const Column& values,
    int digits) {
  json.key(name);
  is_unknown(values) ? json.null() : json.numbers(values, digits);
}

void write_axis(JsonWriter& json, const Axis& axis, int digits) {
  json.field("step", axis.step);
  write_column(json, "epoch", axis.epoch, digits);
  for (const record::AxisSeries& series : record::axis_series()) {
    const Column& column = axis[series.name];
    if (column.empty() && series.is_optional) {
      json.key(series.name);
      json.null();
    } else {
      write_column(json, series.name, column, digits);
    }
  }
}

void write_series(
    JsonWriter& json,
    const record::Series& series,
    const Band& band,
    int digits) {
  if (!series.has_band || is_unknown(band.mean)) {
    return write_column(json, series.name, band.mean, digits);
  }
  json.object(series.name, [&] {
    write_column(json, "mean", band.mean, digits);
    write_column(json, "low", band.low, std::max(digits - 1, 3));
    write_column(json, "high", band.high, std::max(digits - 1, 3));
  });
}

// The fields of a table: axis and series; those of a folder follow one another.
void write_curves(
    JsonWriter& json,
    const record::SeriesTable& table,
    const Curves& curves,
    int digits) {
  write_axis(json, curves.axis, digits);
  std::string folder;
  for (const record::Series& series : table.series) {
    if (series.is_optional && !curves[series.name].has_values()) continue;
    if (series.folder != folder) {
      if (!folder.empty()) json.end_object();
      folder = series.folder;
      if (!folder.empty()) {
        json.key(folder);
        json.begin_object();
      }
    }
    write_series(json, series, curves[series.name], digits);
  }
  if (!folder.empty()) json.end_object();
}

void write_detail(JsonWriter& json, const Detail& detail, int digits) {
  json.field("tensors", detail.tensors);
  json.field("step", detail.step);
  write_column(json, "epoch", detail.epoch, digits);
  const auto rows = [&](const std::vector<Column>& columns, int row_digits) {
    json.begin_array();
    for (const Column& column : columns)
      json.numbers(column, row_digits);
    json.end_array();
  };
  json.object("heat", [&] {
    for (const Heat& heat : detail.heat) {
      json.key(heat.name);
      rows(heat.rows, std::min(digits, kDetailDigits));
    }
  });
  json.objects("norms", detail.norms, [&](const TensorNorms& norms) {
    json.field("tensor", norms.tensor);
    json.field("step", norms.step);
    json.field("replicas", norms.replicas);
    json.key("values");
    rows(norms.values, kNormDigits);
  });
  json.objects("outliers", detail.outliers, [&](const Outlier& outlier) {
    json.field("tensor", outlier.tensor);
    json.field("replica", outlier.replica);
    json.key("share");
    json.number(outlier.share, 3);
    json.key("z");
    json.number(outlier.z, 4);
  });
}

// Numbers and words of run.json's result; nothing nested is expected there.
void write_result(JsonWriter& json, const nlohmann::json& result) {
  json.key("result");
  if (!result.is_object()) return json.null();
  json.object([&] {
    for (const auto& [key, value] : result.items()) {
      if (value.is_number_integer()) {
        json.field(key, value.get<int64_t>());
      } else if (value.is_number()) {
        json.field(key, value.get<double>());
      } else if (value.is_string()) {
        json.field(key, value.get_ref<const std::string&>());
      } else if (value.is_boolean()) {
        json.field(key, value.get<bool>());
      } else {
        json.key(key);
        json.null();
      }
    }
  });
}

void write_identity(JsonWriter& json, const ReportData& data, int index) {
  const RunData& run = data.set.runs[index];
  const Grouping& grouping = data.set.grouping;
  json.field("id", index);
  json.field("name", run.name);
  json.field("path", run.path);
  json.field("label", grouping.labels[index]);
  json.field("group", grouping.group_of[index]);
  json.field("outcome", run.outcome);
  json.key("error");
  run.error.empty() ? json.null() : json.text(run.error);
  json.object("spec", [&] {
    for (const std::string& key : grouping.keys)
      json.field(key, choice_text(run.spec, key));
  });
  json.field("n", run.spec.n);
  json.field("seed", run.spec.seed);
  json.field("mean_degree", run.mean_degree);
}

void write_gossip(JsonWriter& json, const RunData& run) {
  write_gossip(json, *run.gossip);
  json.object("curves", [&] {
    write_curves(
        json,
        record::series_table("gossip"),
        run.curves.at("gossip"),
        kGossipDigits);
  });
}

// A value per run that has one, by path.
template <typename Part, typename Write>
void write_by_path(
    JsonWriter& json,
    const ReportData& data,
    std::optional<Part> RunData::*part,
    const Write& write) {
  json.object([&] {
    for (const RunData& run : data.set.runs) {
      if (run.*part) json.object(run.path, [&] { write(run); });
    }
  });
}

} // namespace

void write_run(JsonWriter& json, const ReportData& data, int index) {
  const RunData& run = data.set.runs[index];
  const int digits = data.set.budget.digits;
  json.object([&] {
    write_identity(json, data, index);
    write_result(json, run.result);
    json.object("dispersion", [&] {
      for (const Phases& phases : run.dispersion) {
        json.object(phases.metric, [&] {
          for (size_t phase = 0; phase < kPhases.size(); ++phase)
            json.field(kPhases[phase], phases.mean[phase]);
        });
      }
    });
    for (const record::SeriesTable& table : record::series_tables()) {
      if (table.path.size() > 1) continue; // within its structure
      const Curves& curves = run.curves.at(table.name);
      json.key(table.path.front());
      if (table.is_optional && curves.axis.step.empty()) {
        json.null();
      } else {
        json.object([&] { write_curves(json, table, curves, digits); });
      }
    }
    json.key("spans");
    if (run.spans.empty()) {
      json.null();
    } else {
      json.object([&] {
        for (const auto& [name, seconds] : run.spans)
          json.field(name, seconds);
      });
    }
    json.object_of("blame", run.blame, [&](const Blame& blame) {
      write_blame(json, blame);
    });
    json.object_of("gossip", run.gossip, [&](const Gossip&) {
      write_gossip(json, run);
    });
    json.object_of("detail", run.detail, [&](const Detail& detail) {
      write_detail(json, detail, digits);
    });
  });
}

void write_blames(JsonWriter& json, const ReportData& data) {
  write_by_path(json, data, &RunData::blame, [&](const RunData& run) {
    write_blame(json, *run.blame);
  });
}

void write_gossips(JsonWriter& json, const ReportData& data) {
  write_by_path(json, data, &RunData::gossip, [&](const RunData& run) {
    write_gossip(json, run);
  });
}

} // namespace grapevine::report
