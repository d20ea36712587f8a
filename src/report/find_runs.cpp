#include "report/load.h"

#include "record/run_directory.h"

#include <algorithm>
#include <set>

namespace grapevine::report {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 8;

class Search {
 public:
  void at_path(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) return skip(path, "no such directory");
    if (!fs::is_directory(status)) return skip(path, "not a directory");
    if (!look(path, 0)) skip(path, "no run in this directory");
  }

  FoundRuns take() { return std::move(found_); }

 private:
  void skip(const fs::path& path, std::string why) {
    found_.skipped.push_back({path.string(), std::move(why)});
  }

  // True if the directory is a run, or holds something that was named.
  bool look(const fs::path& directory, int depth) {
    std::error_code error;
    const fs::path real = fs::canonical(directory, error);
    if (!seen_.insert(real.string()).second) return true;
    if (record::RunDirectory(directory).exists()) {
      found_.runs.push_back(directory);
      return true;
    }
    if (depth == kDeepest) return false;
    std::vector<fs::path> foreign;
    bool any = false;
    for (const fs::path& child : folders_in(directory)) {
      if (look(child, depth + 1)) {
        any = true;
      } else {
        foreign.push_back(child);
      }
    }
    if (!any) return false; // the caller names the whole
    for (const fs::path& child : foreign)
      skip(child, "not a run: neither spec.toml nor run.json in it");
    return true;
  }

  std::vector<fs::path> folders_in(const fs::path& directory) {
    std::vector<fs::path> folders;
    std::error_code error;
    fs::directory_iterator entry(directory, error);
    if (error) skip(directory, "cannot be listed: " + error.message());
    for (; !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_directory(ignored)) folders.push_back(entry->path());
    }
    std::ranges::sort(folders);
    return folders;
  }

  std::set<std::string> seen_; // real paths: links may form circles
  FoundRuns found_;
};

} // namespace

FoundRuns find_runs(std::span<const fs::path> paths) {
  Search search;
  for (const fs::path& path : paths)
    search.at_path(path);
  return search.take();
}

} // namespace grapevine::report
