// One verb of the command line: `grapevine VERB …`. A verb is one file and one
// line in verb_table().
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace grapevine::cli {

class Verb {
 public:
  virtual ~Verb() = default;
  // Adds the verb's options; --json and --help are there already.
  virtual void declare(CLI::App& app) = 0;
  // Does the work and returns the exit code. With `json`, stdout gets one
  // JSON document and nothing else. Throws the library's errors.
  virtual int run(bool json) = 0;
  // Words after `--`; refused unless the verb takes them.
  virtual bool takes_command() const { return false; }
  virtual void set_command(const std::vector<std::string>& words) {}
};

struct VerbEntry {
  std::string name;
  std::string synopsis; // what follows the name
  std::string summary;
  std::unique_ptr<Verb> (*make)();
};

// In the order of --help.
const std::vector<VerbEntry>& verb_table();

std::unique_ptr<Verb> make_bench_verb();
std::unique_ptr<Verb> make_train_verb();
std::unique_ptr<Verb> make_report_verb();
std::unique_ptr<Verb> make_plan_verb();
std::unique_ptr<Verb> make_graph_verb();
std::unique_ptr<Verb> make_launch_verb();
std::unique_ptr<Verb> make_data_verb();
std::unique_ptr<Verb> make_models_verb();
std::unique_ptr<Verb> make_eval_verb();
std::unique_ptr<Verb> make_export_verb();

} // namespace grapevine::cli
