#include "net/launch/worker_environment.h"

#include "base/error.h"
#include "net/launch/spawn.h"
#include "net/shaped/link_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace grapevine::net {

Links::Links(const LaunchOptions& options) {
  if (!options.link.limits()) return;
  try {
    descriptor_ = net::LinkTable::create(
        {.workers = options.workers,
         .workers_per_node = std::max(1, options.workers_per_node),
         .link = options.link});
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--link: {}", error.what()));
  }
}

Links::~Links() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::vector<std::string> worker_environment(
    const LaunchOptions& options,
    const Links& links,
    int rank,
    int restarts,
    int port) {
  const int size = options.workers;
  const int per_node =
      options.workers_per_node > 0 ? options.workers_per_node : size;
  const int first = rank / per_node * per_node;
  std::vector<std::pair<std::string, std::string>> changes = {
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(size)},
      {"LOCAL_RANK", std::to_string(rank - first)},
      {"LOCAL_WORLD_SIZE", std::to_string(std::min(per_node, size - first))},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(port)},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
      {"GRAPEVINE_LAUNCH", "1"},
      {"GRAPEVINE_RESTART", std::to_string(restarts)},
  };
  // Empty where it ends all, whatever the launcher itself was given.
  changes.emplace_back(
      "GRAPEVINE_ON_FAILURE",
      options.on_failure == OnFailure::kContinue  ? "continue"
      : options.on_failure == OnFailure::kRestart ? "restart"
                                                  : "");
  if (links.descriptor() >= 0) {
    changes.emplace_back("GRAPEVINE_LINK", format_link(options.link));
    changes.emplace_back(
        "GRAPEVINE_LINK_TABLE",
        std::to_string(links.descriptor()));
  }
  if (options.slow.slows()) {
    changes.emplace_back("GRAPEVINE_SLOW", format_slow(options.slow));
  }
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    changes.emplace_back("OMP_NUM_THREADS", "1");
  }
  return environment_with(changes);
}

} // namespace grapevine::net
