#include "cli/console.h"
#include "cli/program.h"
#include "cli/run_argument.h"
#include "cli/run_text.h"
#include "cli/verb.h"
#include "data/locate.h"
#include "run/trainer.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

class EvalVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", run_, "directory of the run");
    app.add_flag("--full,--eval-full", full_, "replicas on the whole test set");
  }

  int run(bool json) override {
    const record::RunDirectory directory = run_argument(run_);
    const run::TrainResult result =
        run::evaluate_run(directory.path(), full_, data::default_data_path());
    if (json) {
      print_json(to_json(result));
    } else {
      print_text(result_summary(result));
    }
    return kDone;
  }

 private:
  std::string run_;
  bool full_ = false;
};

} // namespace

std::unique_ptr<Verb> make_eval_verb() {
  return std::make_unique<EvalVerb>();
}

} // namespace grapevine::cli
