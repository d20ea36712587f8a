#include "cli/run_argument.h"

#include "base/error.h"

#include <fmt/format.h>

#include <filesystem>

namespace grapevine::cli {

record::RunDirectory run_argument(const std::string& path) {
  if (path.empty()) throw ConfigError("say which run: its directory");
  record::RunDirectory run(path);
  if (!run.exists()) {
    throw ConfigError(fmt::format(
        "{}: {}",
        path,
        std::filesystem::exists(path) ? "not the directory of a run"
                                      : "no such directory"));
  }
  return run;
}

} // namespace grapevine::cli
