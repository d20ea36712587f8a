#include "sim/plan_json.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::sim {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

Json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

// All-Reduce's time with as many workers.
std::optional<double> central_seconds(const Forecast& forecast, int n) {
  for (const Prediction& row : forecast.rows) {
    if (row.candidate.is_all_reduce() && row.candidate.graph.n == n) {
      return row.times.seconds;
    }
  }
  return std::nullopt;
}

Json level_json(const std::optional<sim::Level>& level) {
  if (!level) return nullptr;
  return {
      {"latency", level->latency},
      {"bandwidth", number(level->bandwidth)},
      {"shared", number(level->shared)}};
}

} // namespace

Json to_json(const Candidate& candidate) {
  return {
      {"algorithm", candidate.algorithm},
      {"graph", candidate.graph.name},
      {"k", candidate.graph.k > 0 ? Json(candidate.graph.k) : Json()},
      {"n", candidate.graph.n},
      {"label", candidate.label()},
      {"flags", candidate.flags()}};
}

Json to_json(const Prediction& it, const Forecast& among) {
  Json json = to_json(it.candidate);
  json["seconds"] = number(it.times.seconds);
  json["compute"] = number(it.times.compute);
  json["exposed"] = number(it.times.exposed);
  json["straggler"] = number(it.times.straggler);
  json["waited"] = number(it.times.waited);
  const auto central = central_seconds(among, it.candidate.graph.n);
  json["gain"] = central ? number(*central / it.times.seconds) : Json();
  json["messages_per_step"] = it.messages;
  json["model_copies_per_step"] = it.copies;
  json["plan"] = it.plan;
  json["degree"] = it.spectrum.degree;
  json["spectral_gap"] = it.spectrum.spectral_gap;
  json["steps_to_agree"] = number(it.steps_to_agree);
  return json;
}

Json to_json(const Forecast& forecast) {
  Json rows = Json::array();
  for (const Prediction& row : forecast.rows)
    rows.push_back(to_json(row, forecast));
  Json skipped = Json::array();
  for (const Skipped& it : forecast.skipped) {
    Json json = to_json(it.candidate);
    json["why"] = it.why;
    skipped.push_back(json);
  }
  return {{"rows", rows}, {"skipped", skipped}};
}

Json to_json(const Sweep& sweep) {
  Json rows = Json::array();
  for (size_t i = 0; i < sweep.candidates.size(); ++i) {
    Json row = to_json(sweep.candidates[i]);
    row["seconds"] = Json::array();
    for (const double seconds : sweep.seconds[i])
      row["seconds"].push_back(number(seconds));
    rows.push_back(row);
  }
  return {{"n", sweep.n}, {"rates", sweep.rates}, {"rows", rows}};
}

Json to_json(const Recommendation& it, const Forecast& among) {
  Json regimes = Json::array();
  for (const Regime& regime : it.regimes) {
    Json json = to_json(regime.candidate);
    json["from"] = number(regime.from);
    json["to"] = number(regime.to);
    json["seconds"] = number(regime.seconds);
    json["gain"] = regime.gain ? number(*regime.gain) : Json();
    regimes.push_back(json);
  }
  return {
      {"n", it.n},
      {"rate", number(it.rate)},
      {"use", to_json(it.use, among)},
      {"fastest", to_json(it.fastest, among)},
      {"regimes", regimes},
      {"sentences", it.sentences}};
}

Json to_json(const Question& question) {
  const sim::Costs costs = question.costs_with_link();
  const sim::Compute& compute = costs.compute;
  return {
      {"model", text_or_null(compute.model)},
      {"data", text_or_null(compute.data)},
      {"batch", compute.batch > 0 ? Json(compute.batch) : Json()},
      {"model_bytes", compute.model_bytes()},
      {"buckets", compute.bucket_bytes.size()},
      {"compute_seconds", compute.mean_seconds()},
      {"update_seconds",
       compute.update_seconds_per_byte *
           static_cast<double>(compute.model_bytes())},
      {"inside", level_json(costs.inside)},
      {"between", level_json(costs.between)},
      {"rate", question.choices.rate},
      {"edges", text_or_null(question.choices.edges_file)},
      {"link", question.link ? Json(format_link(*question.link)) : Json()},
      {"packing", question.packing},
      {"slow", text_or_null(format_slow(question.slow))},
      {"mover", question.mover == Mover::kPlans ? "plans" : "rings"},
      {"seed", question.seed}};
}

} // namespace grapevine::sim
