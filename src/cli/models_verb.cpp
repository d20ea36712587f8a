#include "cli/console.h"
#include "cli/model_list.h"
#include "cli/program.h"
#include "cli/table.h"
#include "cli/verb.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

class ModelsVerb : public Verb {
 public:
  void declare(CLI::App&) override {}

  int run(bool json) override {
    const std::vector<ListedModel> models = list_models();
    if (json) {
      auto list = nlohmann::ordered_json::array();
      for (const ListedModel& model : models) {
        list.push_back(
            {{"name", model.name},
             {"parameters", model.parameters},
             {"task", model.task}});
      }
      print_json(list);
      return kDone;
    }
    Table table({"name", "parameters", "task", ""});
    for (const ListedModel& model : models) {
      table.add_row(
          {model.name,
           fmt::format("{}", model.parameters),
           model.task,
           model.summary});
    }
    print_text(table.text());
    return kDone;
  }
};

} // namespace

std::unique_ptr<Verb> make_models_verb() {
  return std::make_unique<ModelsVerb>();
}

} // namespace grapevine::cli
