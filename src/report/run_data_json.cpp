// One run as JSON.
#include "report/page_data.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

using report::Axis;
using report::Band;
using report::Column;
using report::RunData;

class RunWriter {
 public:
  RunWriter(JsonWriter& json, int digits) : json_(json), digits_(digits) {}

  // A column in which nothing is known is null.
  void column(const char* name, const Column& values) {
    column(name, values, digits_);
  }
  void column(const char* name, const Column& values, int digits) {
    json_.key(name);
    if (is_unknown(values)) return json_.null();
    json_.numbers(values, digits);
  }

  void steps(const std::vector<int64_t>& steps) {
    json_.key("step");
    json_.integers(steps);
  }

  void band(const std::string& name, const Band& band) {
    json_.key(name);
    if (is_unknown(band.mean)) return json_.null();
    json_.begin_object();
    column("mean", band.mean);
    column("low", band.low, std::max(digits_ - 1, 3));
    column("high", band.high, std::max(digits_ - 1, 3));
    json_.end_object();
  }

  void axis(const Axis& axis) {
    steps(axis.step);
    column("epoch", axis.epoch);
    column("bytes", axis.bytes);
    column("messages", axis.messages);
    column("seconds", axis.seconds);
    json_.key("virtual_seconds");
    if (axis.virtual_seconds.empty()) return json_.null();
    json_.numbers(axis.virtual_seconds, digits_);
  }

  void step_curves(const report::StepCurves& curves) {
    json_.key("steps");
    json_.begin_object();
    axis(curves.axis);
    band("loss", curves.loss);
    column("lr", curves.lr);
    column("degree", curves.degree);
    json_.end_object();
  }

  void evaluations(const report::EvaluationCurves& curves) {
    json_.key("evaluations");
    json_.begin_object();
    axis(curves.axis);
    band("accuracy", curves.accuracy);
    column("averaged_accuracy", curves.averaged_accuracy);
    band("loss", curves.loss);
    column("averaged_loss", curves.averaged_loss);
    column("train_loss", curves.train_loss);
    json_.end_object();
  }

  void probes(const report::ProbeCurves& curves) {
    json_.key("probes");
    json_.begin_object();
    axis(curves.axis);
    json_.key("metrics");
    json_.begin_object();
    for (const report::NamedBand& metric : curves.metrics)
      band(metric.name, metric.band);
    json_.end_object();
    band("consensus_distance", curves.consensus_distance);
    band("gradient_norm", curves.gradient_norm);
    band("update_ratio", curves.update_ratio);
    json_.end_object();
  }

  void spans(const RunData& run) {
    json_.key("spans");
    if (run.spans.empty()) return json_.null();
    json_.begin_object();
    for (const auto& [name, seconds] : run.spans) {
      json_.key(name);
      json_.number(seconds);
    }
    json_.end_object();
  }

  void density(const RunData& run) {
    json_.key("density");
    if (!run.density) return json_.null();
    json_.begin_object();
    steps(run.density->step);
    column("epoch", run.density->epoch);
    column("spread", run.density->spread);
    column("level", run.density->level);
    column("k", run.density->k);
    json_.end_object();
  }

  void detail(const RunData& run) {
    json_.key("detail");
    if (!run.detail) return json_.null();
    const report::Detail& detail = *run.detail;
    json_.begin_object();
    json_.key("tensors");
    json_.begin_array();
    for (const std::string& tensor : detail.tensors)
      json_.text(tensor);
    json_.end_array();
    steps(detail.step);
    column("epoch", detail.epoch);
    json_.key("heat");
    json_.begin_object();
    for (const report::Heat& heat : detail.heat) {
      json_.key(heat.name);
      rows(heat.rows);
    }
    json_.end_object();
    norms(detail);
    outliers(detail);
    json_.end_object();
  }

 private:
  // Colours and lines a pixel wide need no more.
  static constexpr int kDetailDigits = 5;

  // An empty curve is known to be empty.
  static bool is_unknown(const Column& values) {
    return !values.empty() && std::ranges::none_of(values, [](double value) {
      return std::isfinite(value);
    });
  }

  void rows(const std::vector<Column>& rows) {
    json_.begin_array();
    for (const Column& row : rows)
      json_.numbers(row, std::min(digits_, kDetailDigits));
    json_.end_array();
  }

  void norms(const report::Detail& detail) {
    json_.key("norms");
    json_.begin_array();
    for (const report::TensorNorms& norms : detail.norms) {
      json_.begin_object();
      json_.key("tensor");
      json_.text(norms.tensor);
      steps(norms.step);
      json_.key("replicas");
      json_.begin_array();
      for (const int replica : norms.replicas)
        json_.integer(replica);
      json_.end_array();
      json_.key("values");
      json_.begin_array();
      // Replicas agree in their first digits, so all of them are needed.
      for (const Column& values : norms.values)
        json_.numbers(values, 7);
      json_.end_array();
      json_.end_object();
    }
    json_.end_array();
  }

  void outliers(const report::Detail& detail) {
    json_.key("outliers");
    json_.begin_array();
    for (const report::Outlier& outlier : detail.outliers) {
      json_.begin_object();
      json_.key("tensor");
      json_.text(outlier.tensor);
      json_.key("replica");
      json_.integer(outlier.replica);
      json_.key("share");
      json_.number(outlier.share, 3);
      json_.key("z");
      json_.number(outlier.z, 4);
      json_.end_object();
    }
    json_.end_array();
  }

  JsonWriter& json_;
  int digits_;
};

// Numbers and words of run.json's result; nothing nested is expected there.
void write_result(JsonWriter& json, const nlohmann::json& result) {
  json.key("result");
  if (!result.is_object()) return json.null();
  json.begin_object();
  for (const auto& [key, value] : result.items()) {
    json.key(key);
    if (value.is_number_integer()) {
      json.integer(value.get<int64_t>());
    } else if (value.is_number()) {
      json.number(value.get<double>());
    } else if (value.is_string()) {
      json.text(value.get_ref<const std::string&>());
    } else if (value.is_boolean()) {
      json.boolean(value.get<bool>());
    } else {
      json.null();
    }
  }
  json.end_object();
}

void write_dispersion(JsonWriter& json, const RunData& run) {
  json.key("dispersion");
  json.begin_object();
  for (const report::Phases& phases : run.dispersion) {
    json.key(phases.metric);
    json.begin_object();
    for (size_t phase = 0; phase < report::kPhases.size(); ++phase) {
      json.key(report::kPhases[phase]);
      json.number(report::phase_of(phases, static_cast<int>(phase)));
    }
    json.end_object();
  }
  json.end_object();
}

void write_identity(JsonWriter& json, const ReportData& data, int index) {
  const RunData& run = data.set.runs[index];
  json.integer("id", index);
  json.text("name", run.name);
  json.text("path", run.path);
  json.text("label", data.set.grouping.labels[index]);
  json.integer("group", data.set.grouping.group_of[index]);
  json.text("outcome", run.outcome);
  json.key("error");
  if (run.error.empty()) {
    json.null();
  } else {
    json.text(run.error);
  }
  json.key("spec");
  json.begin_object();
  for (const std::string& key : data.set.grouping.keys) {
    json.key(key);
    json.text(report::choice_text(run.spec, key));
  }
  json.end_object();
  json.integer("n", run.spec.n);
  json.integer("seed", static_cast<int64_t>(run.spec.seed));
  json.number("mean_degree", run.mean_degree);
}

} // namespace

void write_run(JsonWriter& json, const ReportData& data, int index) {
  const RunData& run = data.set.runs[index];
  json.begin_object();
  write_identity(json, data, index);
  write_result(json, run.result);
  write_dispersion(json, run);
  RunWriter writer(json, data.set.budget.digits);
  writer.step_curves(run.step_curves);
  writer.evaluations(run.evaluations);
  writer.probes(run.probes);
  writer.spans(run);
  json.key("blame");
  if (run.blame) {
    write_blame(json, *run.blame);
  } else {
    json.null();
  }
  json.key("gossip");
  if (run.gossip) {
    write_gossip(json, *run.gossip);
  } else {
    json.null();
  }
  writer.density(run);
  writer.detail(run);
  json.end_object();
}

} // namespace grapevine::report
