#include "base/error.h"
#include "base/option_values.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/verb.h"
#include "net/launch/launch.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

namespace grapevine::cli {
namespace {

constexpr int64_t kMostProcesses = 4096;
constexpr int64_t kMostRestarts = 1000000;

int64_t integer_flag(
    const std::string& flag,
    const std::string& text,
    IntegerRange range) {
  try {
    return parse_integer(text, range);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", flag, error.what()));
  }
}

template <typename Parse>
auto words_flag(const std::string& flag, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", flag, error.what()));
  }
}

double seconds_flag(const std::string& flag, const std::string& text) {
  try {
    return parse_number(text, {.least = 0, .most = 1e9, .above = true});
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", flag, error.what()));
  }
}

// A verb is run by this program; anything else is a program of its own, such
// as one that uses the library.
bool is_verb(const std::string& word) {
  const auto& table = verb_table();
  return std::any_of(table.begin(), table.end(), [&](const VerbEntry& entry) {
    return entry.name == word;
  });
}

net::OnFailure on_failure_flag(const std::string& text) {
  if (text == "end") return net::OnFailure::kEnd;
  if (text == "continue") return net::OnFailure::kContinue;
  if (text == "restart") return net::OnFailure::kRestart;
  throw ConfigError(fmt::format(
      "--on-failure: must be end, continue or restart, got '{}'",
      text));
}

class LaunchVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("-n", workers_, "workers, one process each")->type_name("N");
    app.add_option(
           "--deadline",
           deadline_,
           "seconds that the others have to end after one has failed")
        ->type_name("S")
        ->default_str(deadline_);
    app.add_option(
           "--on-failure",
           on_failure_,
           "what a worker's failure means: end all, continue without it, or "
           "restart it while the others continue")
        ->type_name("end|continue|restart")
        ->default_str(on_failure_);
    app.add_option(
           "--restarts",
           restarts_,
           "how often each worker may be restarted")
        ->type_name("N")
        ->default_str(restarts_);
    app.add_option("--port", port_, "of the meeting point; 0 = a free one")
        ->type_name("N")
        ->default_str(port_);
    app.add_option(
           "--link",
           link_,
           "rate of every node and delay of every link, like 1gbit,2ms; links "
           "that differ behind a semicolon each, like "
           "\"1gbit,2ms;2-3:100mbit,10ms\"")
        ->type_name("RATE[,DELAY][;A-B:RATE[,DELAY]]...");
    app.add_option(
           "--slow",
           slow_,
           "workers that compute slower, like 3:2.0 or random:0.1:2.0")
        ->type_name("WHO:FACTOR,...");
    app.add_option(
           "--workers-per-node",
           per_node_,
           "so many workers in a row pass for a node")
        ->type_name("N");
    app.footer(
        "Examples: grapevine launch -n 4 -- train --preset d-ring\n"
        "          grapevine launch -n 8 --link 1gbit,2ms --slow 3:2.0 -- "
        "train --graph aer\n"
        "          grapevine launch -n 4 -- ./my-program --its-flags");
  }

  bool takes_command() const override { return true; }
  void set_command(const std::vector<std::string>& words) override {
    command_ = words;
  }

  // With --json the workers' own stdout stays theirs: the flag is passed on,
  // and the document is that of worker 0.
  int run(bool json) override {
    if (workers_.empty()) throw ConfigError("launch: say how many: -n N");
    if (command_.empty()) {
      throw ConfigError("launch: say what to run: -- train …");
    }
    net::LaunchOptions options;
    options.workers =
        static_cast<int>(integer_flag("-n", workers_, {1, kMostProcesses}));
    options.grace =
        std::chrono::duration<double>(seconds_flag("--deadline", deadline_));
    options.on_failure = on_failure_flag(on_failure_);
    options.restarts = static_cast<int>(
        integer_flag("--restarts", restarts_, {0, kMostRestarts}));
    options.master_port =
        static_cast<int>(integer_flag("--port", port_, {0, 65535}));
    if (!link_.empty()) {
      options.link = words_flag("--link", link_, parse_link);
    }
    options.slow = words_flag("--slow", slow_, parse_slow);
    if (!per_node_.empty()) {
      options.workers_per_node = static_cast<int>(
          integer_flag("--workers-per-node", per_node_, {1, options.workers}));
    }

    std::vector<std::string> words = command_;
    if (is_verb(command_.front())) {
      words.insert(
          words.begin(),
          std::filesystem::read_symlink("/proc/self/exe").string());
      if (json) words.push_back("--json");
    }
    const net::LaunchReport report = net::launch(options, words);
    if (!report.message.empty()) {
      print_line(fmt::format("grapevine launch: {}", report.message));
    }
    return report.exit_code;
  }

 private:
  std::string workers_;
  std::string deadline_ = "30";
  std::string on_failure_ = "end";
  std::string restarts_ = "3";
  std::string port_ = "0";
  std::string link_;
  std::string slow_;
  std::string per_node_;
  std::vector<std::string> command_;
};

} // namespace

std::unique_ptr<Verb> make_launch_verb() {
  return std::make_unique<LaunchVerb>();
}

} // namespace grapevine::cli
