#include "cli/program.h"

#include "base/error.h"
#include "base/names.h"
#include "base/option.h"
#include "cli/console.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "cli/version.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>

namespace grapevine::cli {
namespace {

using Words = std::vector<std::string>;

std::string overview() {
  Table table;
  for (const VerbEntry& verb : verb_table()) {
    table.add_row({verb.name, verb.synopsis, verb.summary});
  }
  return fmt::format(
      "Grapevine {}: decentralized data-parallel training\n\n"
      "Usage: grapevine VERB [OPTIONS]\n\n{}\n"
      "Every verb takes --help and --json.\n"
      "Exit codes: 0 done, 1 the run failed, 2 the command or spec was "
      "wrong.\n",
      kVersion,
      table.text(2));
}

const VerbEntry& find_verb(const std::string& word) {
  if (word.starts_with("-")) {
    throw ConfigError(fmt::format(
        "unknown option '{}'; the verb comes first (try --help)",
        word));
  }
  return find_row("verb", word, verb_table());
}

// What the parser could not place: a misspelt option, or a word too many.
void refuse_extras(
    const CLI::App& app,
    const Words& extras,
    bool takes_command) {
  if (extras.empty()) return;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  if (!word.starts_with("-")) {
    throw ConfigError(fmt::format(
        "unexpected word '{}'{}",
        word,
        takes_command ? "; what to run comes after --" : ""));
  }
  Words known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      known.push_back("-" + name);
    }
  }
  const auto near = nearest_spelling(word, known);
  throw ConfigError(fmt::format(
      "unknown option '{}'{}",
      word,
      near ? fmt::format("; did you mean '{}'?", *near) : " (try --help)"));
}

// Words before and after the first `--`.
std::pair<Words, Words> split_command(const Words& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {words, {}};
  return {{words.begin(), dashes}, {dashes + 1, words.end()}};
}

// False where the words asked for help, which has been printed.
bool parse(CLI::App& app, const Words& words, bool takes_command) {
  app.allow_extras();
  try {
    // CLI11 takes them from the back.
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    print_text(app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    throw ConfigError(error.what());
  }
  refuse_extras(app, app.remaining(), takes_command);
  return true;
}

int run_verb(const VerbEntry& entry, const Words& words) {
  const std::unique_ptr<Verb> verb = entry.make();
  CLI::App app(entry.summary, fmt::format("grapevine {}", entry.name));
  app.get_formatter()->column_width(36);
  bool json = false;
  app.add_flag("--json", json, "one JSON document on stdout");
  verb->declare(app);

  auto [options, command] = split_command(words);
  if (!parse(app, options, verb->takes_command())) return kDone;
  if (verb->takes_command()) {
    verb->set_command(command);
  } else if (!command.empty()) {
    throw ConfigError(fmt::format("unexpected word '{}'", command.front()));
  }
  return verb->run(json);
}

int dispatch(const Words& arguments) {
  if (arguments.empty()) {
    print_line(overview());
    return kWrongCommand;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    print_text(overview());
    return kDone;
  }
  if (first == "--version") {
    print_text(fmt::format("grapevine {}\n", kVersion));
    return kDone;
  }
  return run_verb(find_verb(first), {arguments.begin() + 1, arguments.end()});
}

} // namespace

int run_program(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const ConfigError& error) {
    print_line(fmt::format("grapevine: {}", error.what()));
    return kWrongCommand;
  } catch (const std::exception& error) {
    print_line(fmt::format("grapevine: {}", error.what()));
    return kFailed;
  }
}

} // namespace grapevine::cli
