#include "base/error.h"
#include "base/names.h"
#include "cli/console.h"
#include "cli/plan_measure.h"
#include "cli/plan_query.h"
#include "cli/plan_text.h"
#include "cli/program.h"
#include "cli/verb.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

using Json = nlohmann::ordered_json;

class PlanVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("ACTION", action_, "measure, predict or recommend");
    measure_.declare(app);
    query_.declare(app);
    app.add_option("--html", html_, "a page with plots, into this file")
        ->type_name("FILE")
        ->group("Predict and recommend");
  }

  int run(bool json) override {
    const std::vector<std::string> actions = {
        "measure",
        "predict",
        "recommend"};
    if (action_.empty()) {
      throw ConfigError(fmt::format("plan: say what ({})", one_of(actions)));
    }
    if (action_ == "measure") {
      refuse(query_.given());
      if (!html_.empty()) refuse({"--html"});
      return measure_.run(json);
    }
    refuse(measure_.given());
    if (action_ != "predict" && action_ != "recommend") {
      throw ConfigError(unknown_name("action", action_, actions));
    }
    answer(json);
    return kDone;
  }

 private:
  // Flags of another action.
  void refuse(const std::vector<std::string>& given) const {
    if (given.empty()) return;
    throw ConfigError(
        fmt::format("{}: not for plan {}", given.front(), action_));
  }

  void answer(bool json) {
    query_.read();
    const sim::Query& query = query_.query();
    const auto predictions = sim::predict(query, query_.counts());
    const bool recommends = action_ == "recommend";
    std::vector<sim::Recommendation> answers;
    if (recommends || !html_.empty()) {
      for (const int n : query_.counts())
        answers.push_back(sim::recommend(query, predictions, n));
    }
    if (!html_.empty()) write_plan_page(html_, query, predictions, answers);
    if (json) {
      print_json(recommends ? answers_json(answers) : rows_json(predictions));
      return;
    }
    std::string text = query_text(query);
    if (!recommends) text += predictions_text(predictions);
    for (const auto& answer : answers) {
      if (recommends) text += recommendation_text(answer);
    }
    if (!html_.empty()) text += fmt::format("\npage: {}\n", html_);
    print_text(text);
  }

  Json rows_json(std::span<const sim::Prediction> predictions) const {
    Json document = to_json(predictions);
    document["question"] = to_json(query_.query());
    document["page"] = html_.empty() ? Json() : Json(html_);
    return document;
  }

  Json answers_json(const std::vector<sim::Recommendation>& answers) const {
    Json list = Json::array();
    for (const auto& answer : answers)
      list.push_back(to_json(answer));
    return {{"question", to_json(query_.query())}, {"recommendations", list}};
  }

  std::string action_;
  std::string html_;
  PlanMeasure measure_;
  PlanQuery query_;
};

} // namespace

std::unique_ptr<Verb> make_plan_verb() {
  return std::make_unique<PlanVerb>();
}

} // namespace grapevine::cli
