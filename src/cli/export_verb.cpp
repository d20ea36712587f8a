#include "base/error.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/run_argument.h"
#include "cli/verb.h"
#include "data/locate.h"
#include "run/trainer.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace grapevine::cli {
namespace {

class ExportVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", run_, "directory of the run");
    app.add_option(
        "FILE,-o,--output",
        file_,
        "safetensors file to write; averaged.safetensors in the run");
  }

  int run(bool json) override {
    const record::RunDirectory directory = run_argument(run_);
    if (file_.empty()) {
      file_ = (directory.path() / "averaged.safetensors").string();
    }
    const int64_t tensors =
        run::export_run(directory.path(), file_, data::default_data_path());
    if (json) {
      print_json(nlohmann::ordered_json{
          {"run", run_},
          {"file", file_},
          {"tensors", tensors}});
    } else {
      print_text(fmt::format("{} tensors in {}\n", tensors, file_));
    }
    return kDone;
  }

 private:
  std::string run_;
  std::string file_;
};

} // namespace

std::unique_ptr<Verb> make_export_verb() {
  return std::make_unique<ExportVerb>();
}

} // namespace grapevine::cli
