// What each worker of a launch finds in its environment, and the table of links
// that they share.
#pragma once

#include "net/launch/launch.h"

#include <string>
#include <vector>

namespace grapevine::net {

// The table, as long as the workers run. Throws ConfigError naming --link.
class Links {
 public:
  explicit Links(const LaunchOptions& options);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  // To be inherited; below 0 where links are not limited.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// NAME=VALUE, this process's own with what launch.h promises; `restarts` says
// how often the worker was started again, `port` is the store's.
std::vector<std::string> worker_environment(
    const LaunchOptions& options,
    const Links& links,
    int rank,
    int restarts,
    int port);

} // namespace grapevine::net
