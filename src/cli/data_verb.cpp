#include "base/error.h"
#include "base/names.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/verb.h"
#include "data/bpe.h"
#include "data/download.h"
#include "data/file.h"
#include "data/locate.h"
#include "data/source.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace grapevine::cli {
namespace {

std::optional<std::string> folder_of(const data::DataEntry& entry) {
  data::DataOptions options;
  options.name = entry.name;
  options.search_path = data::default_data_path();
  return data::locate_dataset(options);
}

int list_sets(bool json) {
  auto list = nlohmann::ordered_json::array();
  Table table({"name", "train", "test", "", "here"});
  for (const data::DataEntry& entry : data::data_table()) {
    const auto folder = folder_of(entry);
    const bool needs_files = !entry.how_to_get.empty();
    list.push_back(
        {{"name", entry.name},
         {"train_samples", entry.train_samples},
         {"test_samples", entry.test_samples},
         {"classes", entry.classes},
         {"sample_shape", entry.sample_shape},
         {"available", !needs_files || folder.has_value()},
         {"directory", folder ? nlohmann::ordered_json(*folder) : nullptr}});
    table.add_row(
        {entry.name,
         fmt::format("{}", entry.train_samples),
         fmt::format("{}", entry.test_samples),
         entry.summary,
         !needs_files ? "made on the fly" : folder.value_or("no")});
  }
  if (json) {
    print_json(list);
  } else {
    print_text(table.text());
  }
  return kDone;
}

// --dir, else NAME below $GRAPEVINE_DATA or the cache.
std::string target_folder(const std::string& name, const std::string& given) {
  if (!given.empty()) return given;
  const char* set = std::getenv("GRAPEVINE_DATA");
  const std::string root =
      set && *set ? std::string(set) : data::default_data_cache();
  if (root.empty()) {
    throw ConfigError("no home directory is known: say --dir DIR");
  }
  return (std::filesystem::path(root) / name).string();
}

void show_download(const data::DownloadProgress& progress) {
  fmt::print(
      stderr,
      "\r{}  {} of {}\033[K",
      progress.file,
      human_bytes(static_cast<double>(progress.bytes_done)),
      human_bytes(static_cast<double>(progress.bytes_total)));
  std::fflush(stderr);
}

int get_set(const std::string& name, const std::string& given, bool json) {
  const std::string folder = target_folder(name, given);
  data::DownloadOptions options;
  const bool shows = stderr_is_terminal();
  if (shows) options.progress = show_download;
  try {
    data::get_dataset(name, folder, options);
  } catch (...) {
    if (shows) print_line("");
    throw;
  }
  if (shows) fmt::print(stderr, "\r\033[K");
  if (json) {
    print_json(nlohmann::ordered_json{{"name", name}, {"directory", folder}});
  } else {
    print_text(fmt::format("{} is in {}\n", name, folder));
  }
  return kDone;
}

struct BpeArguments {
  std::vector<std::string> files;
  int size = 8192; // bytes included
  std::string out;
};

constexpr int kLargest = 256 + data::Bpe::kMostMerges;

void check_bpe(const BpeArguments& arguments) {
  if (arguments.files.empty()) {
    throw ConfigError("data bpe: say which text files to learn from");
  }
  for (const auto& file : arguments.files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
      throw ConfigError(fmt::format("data bpe: '{}' is not a file", file));
    }
  }
  if (arguments.size < data::Bpe::kBytes || arguments.size > kLargest) {
    throw ConfigError(fmt::format(
        "--size: expected an integer from {} (bytes alone) to {}, got {}",
        data::Bpe::kBytes,
        kLargest,
        arguments.size));
  }
  if (arguments.out.empty()) {
    throw ConfigError("data bpe: say --out FILE, where the vocabulary goes");
  }
}

void show_bpe(
    const BpeArguments& arguments,
    const data::Bpe& bpe,
    int64_t bytes,
    bool json) {
  if (json) {
    print_json(nlohmann::ordered_json{
        {"vocabulary", arguments.out},
        {"size", bpe.size()},
        {"bytes", bytes}});
    return;
  }
  std::string text =
      fmt::format("a vocabulary of {} is in {}\n", bpe.size(), arguments.out);
  if (bpe.size() < arguments.size) {
    text += fmt::format(
        "smaller than {}: no other pair occurs twice in the text\n",
        arguments.size);
  }
  print_text(text);
}

int make_bpe(const BpeArguments& arguments, bool json) {
  check_bpe(arguments);
  data::WordCounts words;
  int64_t bytes = 0;
  for (const auto& file : arguments.files) {
    const auto text = data::read_file(file);
    words.add({reinterpret_cast<const char*>(text.data()), text.size()});
    bytes += static_cast<int64_t>(text.size());
  }
  const data::Bpe bpe = data::train_bpe(words, arguments.size);
  data::write_bpe(bpe, arguments.out);
  show_bpe(arguments, bpe, bytes, json);
  return kDone;
}

class DataVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option(
        "ACTION",
        action_,
        "list, get to download a set, or bpe to learn a vocabulary");
    app.add_option("NAME", names_, "get: the data set; bpe: text files");
    app.add_option("--dir", directory_, "get: where to put it");
    app.add_option(
           "--size",
           bpe_.size,
           "bpe: of the vocabulary, with 256 bytes")
        ->capture_default_str();
    app.add_option("--out", bpe_.out, "bpe: the vocabulary's file");
    app.footer(
        "Without --dir a set goes to $GRAPEVINE_DATA/NAME, else to "
        "~/.cache/grapevine/NAME.");
  }

  int run(bool json) override {
    const std::vector<std::string> actions = {"bpe", "get", "list"};
    if (action_.empty()) {
      throw ConfigError("data: say get NAME, bpe FILE… or list");
    }
    if (action_ == "list") {
      refuse_words(0);
      return list_sets(json);
    }
    if (action_ == "bpe") {
      bpe_.files = names_;
      return make_bpe(bpe_, json);
    }
    if (action_ != "get") {
      throw ConfigError(unknown_name("action", action_, actions));
    }
    if (names_.empty()) {
      throw ConfigError("data get: say which set (see `grapevine data list`)");
    }
    refuse_words(1);
    data::data_entry(names_[0]); // refuses an unknown one
    return get_set(names_[0], directory_, json);
  }

 private:
  void refuse_words(size_t from) const {
    if (names_.size() <= from) return;
    throw ConfigError(fmt::format("unexpected word '{}'", names_[from]));
  }

  std::string action_;
  std::vector<std::string> names_;
  std::string directory_;
  BpeArguments bpe_;
};

} // namespace

std::unique_ptr<Verb> make_data_verb() {
  return std::make_unique<DataVerb>();
}

} // namespace grapevine::cli
