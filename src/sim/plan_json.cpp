// What the planner was asked and answers, as JSON.
#include "sim/recommend.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::sim {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json();
}

Json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

Json level_json(const std::optional<Level>& level) {
  if (!level) return nullptr;
  return {
      {"latency", level->latency},
      {"bandwidth", number(level->bandwidth)},
      {"shared", number(level->shared)}};
}

} // namespace

Json candidate_json(const Prediction& candidate) {
  return {
      {"algorithm", candidate.algorithm},
      {"graph", candidate.graph.name},
      {"k", candidate.graph.k > 0 ? Json(candidate.graph.k) : Json()},
      {"n", candidate.graph.n},
      {"label", candidate.label()},
      {"flags", candidate.flags()}};
}

Json to_json(const Prediction& it) {
  Json json = candidate_json(it);
  json["seconds"] = number(it.times.seconds);
  json["compute"] = number(it.times.compute);
  json["exposed"] = number(it.times.exposed);
  json["straggler"] = number(it.times.straggler);
  json["waited"] = number(it.times.waited);
  json["gain"] = number(it.gain);
  json["messages_per_step"] = it.messages;
  json["model_copies_per_step"] = it.copies;
  json["plan"] = it.plan;
  json["degree"] = it.spectrum.degree;
  json["spectral_gap"] = it.spectrum.spectral_gap;
  json["steps_to_agree"] = number(it.steps_to_agree);
  return json;
}

Json to_json(std::span<const Prediction> predictions) {
  Json rows = Json::array();
  Json skipped = Json::array();
  for (const Prediction& it : predictions) {
    if (it.impossible.empty()) {
      rows.push_back(to_json(it));
    } else {
      skipped.push_back(candidate_json(it));
      skipped.back()["why"] = it.impossible;
    }
  }
  return {{"rows", rows}, {"skipped", skipped}};
}

Json sweep_json(const Recommendation& it) {
  Json rows = Json::array();
  for (size_t i = 0; i < it.candidates.size(); ++i) {
    Json seconds = Json::array();
    for (const double each : it.seconds[i])
      seconds.push_back(number(each));
    rows.push_back(candidate_json(it.candidates[i]));
    rows.back()["seconds"] = seconds;
  }
  return {{"n", it.n}, {"rates", it.rates}, {"rows", rows}};
}

Json to_json(const Recommendation& it) {
  Json regimes = Json::array();
  for (const Regime& regime : it.regimes) {
    Json json = candidate_json(regime.answer);
    json["from"] = number(regime.from);
    json["to"] = number(regime.to);
    json["seconds"] = number(regime.answer.times.seconds);
    json["gain"] = number(regime.answer.gain);
    regimes.push_back(json);
  }
  return {
      {"n", it.n},
      {"rate", number(it.rate)},
      {"use", to_json(it.use)},
      {"fastest", to_json(it.fastest)},
      {"regimes", regimes},
      {"sentences", it.sentences}};
}

Json to_json(const Query& query) {
  const Costs costs = query.costs_with_link();
  const Compute& compute = costs.compute;
  const auto bytes = static_cast<double>(compute.model_bytes());
  return {
      {"model", text_or_null(compute.model)},
      {"data", text_or_null(compute.data)},
      {"batch", compute.batch > 0 ? Json(compute.batch) : Json()},
      {"model_bytes", compute.model_bytes()},
      {"buckets", compute.bucket_bytes.size()},
      {"compute_seconds", compute.mean_seconds()},
      {"update_seconds", compute.update_seconds_per_byte * bytes},
      {"inside", level_json(costs.inside)},
      {"between", level_json(costs.between)},
      {"rate", query.rate},
      {"edges", text_or_null(query.edges_file)},
      {"link", query.link ? Json(format_link(*query.link)) : Json()},
      {"packing", query.packing},
      {"slow", text_or_null(format_slow(query.slow))},
      {"mover", query.rings ? "rings" : "plans"},
      {"seed", query.seed}};
}

} // namespace grapevine::sim
