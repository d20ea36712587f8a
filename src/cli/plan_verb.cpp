#include "base/error.h"
#include "base/names.h"
#include "cli/console.h"
#include "cli/plan_measure.h"
#include "cli/plan_page.h"
#include "cli/plan_question.h"
#include "cli/plan_text.h"
#include "cli/program.h"
#include "cli/verb.h"
#include "sim/plan_json.h"

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
    question_.declare(app);
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
      refuse(question_.given());
      if (!html_.empty()) refuse({"--html"});
      return measure_.run(json);
    }
    refuse(measure_.given());
    if (action_ == "predict") return predict(json);
    if (action_ == "recommend") return recommend(json);
    throw ConfigError(unknown_name("action", action_, actions));
  }

 private:
  // Flags of another action.
  void refuse(const std::vector<std::string>& given) const {
    if (given.empty()) return;
    throw ConfigError(
        fmt::format("{}: not for plan {}", given.front(), action_));
  }

  int predict(bool json) const {
    const sim::Question question = question_.question();
    const std::vector<int> counts = question_.counts();
    const auto forecast = sim::predict(question, counts);
    if (!html_.empty()) write_page(question, forecast, counts);
    if (json) {
      Json document = to_json(forecast);
      document["question"] = to_json(question);
      document["page"] = html_.empty() ? Json() : Json(html_);
      print_json(document);
      return kDone;
    }
    print_text(question_text(question) + forecast_text(forecast));
    if (!html_.empty()) print_text(fmt::format("\npage: {}\n", html_));
    return kDone;
  }

  int recommend(bool json) const {
    const sim::Question question = question_.question();
    const std::vector<int> counts = question_.counts();
    const auto forecast = sim::predict(question, counts);
    const auto answers = recommend_all(question, forecast, counts);
    if (!html_.empty()) {
      write_plan_page(html_, question, forecast, answers);
    }
    if (json) {
      Json list = Json::array();
      for (const auto& answer : answers)
        list.push_back(to_json(answer, forecast));
      print_json(
          Json{{"question", to_json(question)}, {"recommendations", list}});
      return kDone;
    }
    std::string text = question_text(question);
    for (const auto& answer : answers)
      text += recommendation_text(answer);
    if (!html_.empty()) text += fmt::format("\npage: {}\n", html_);
    print_text(text);
    return kDone;
  }

  static std::vector<sim::Recommendation> recommend_all(
      const sim::Question& question,
      const sim::Forecast& forecast,
      const std::vector<int>& counts) {
    std::vector<sim::Recommendation> answers;
    for (const int n : counts)
      answers.push_back(sim::recommend(question, forecast, n));
    return answers;
  }

  void write_page(
      const sim::Question& question,
      const sim::Forecast& forecast,
      const std::vector<int>& counts) const {
    write_plan_page(
        html_,
        question,
        forecast,
        recommend_all(question, forecast, counts));
  }

  std::string action_;
  std::string html_;
  PlanMeasure measure_;
  PlanQuestion question_;
};

} // namespace

std::unique_ptr<Verb> make_plan_verb() {
  return std::make_unique<PlanVerb>();
}

} // namespace grapevine::cli
