#include "base/error.h"
#include "base/names.h"
#include "cli/console.h"
#include "cli/plan_question.h"
#include "cli/plan_text.h"
#include "cli/program.h"
#include "cli/verb.h"
#include "planner/plan_json.h"

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
    question_.declare(app);
  }

  int run(bool json) override {
    const std::vector<std::string> actions = {"predict", "recommend"};
    if (action_.empty()) {
      throw ConfigError(fmt::format("plan: say what ({})", one_of(actions)));
    }
    if (action_ == "predict") return predict(json);
    if (action_ == "recommend") return recommend(json);
    throw ConfigError(unknown_name("action", action_, actions));
  }

 private:
  int predict(bool json) const {
    const planner::Question question = question_.question();
    const auto forecast = planner::predict(question, question_.counts());
    if (json) {
      Json document = to_json(forecast);
      document["question"] = to_json(question);
      print_json(document);
    } else {
      print_text(question_text(question) + forecast_text(forecast));
    }
    return kDone;
  }

  int recommend(bool json) const {
    const planner::Question question = question_.question();
    const auto forecast = planner::predict(question, question_.counts());
    Json documents = Json::array();
    std::string text = question_text(question);
    for (const int n : question_.counts()) {
      const auto answer = planner::recommend(question, forecast, n);
      documents.push_back(to_json(answer, forecast));
      text += recommendation_text(answer);
    }
    if (json) {
      print_json(Json{
          {"question", to_json(question)},
          {"recommendations", documents}});
    } else {
      print_text(text);
    }
    return kDone;
  }

  std::string action_;
  PlanQuestion question_;
};

} // namespace

std::unique_ptr<Verb> make_plan_verb() {
  return std::make_unique<PlanVerb>();
}

} // namespace grapevine::cli
