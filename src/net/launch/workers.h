// The worker processes of a launch, from their start until the last one has
// been reaped.
#pragma once

#include "net/launch/launch.h"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace grapevine::net {

class Workers {
 public:
  // Borrows all; `port` is the store's. Throws ConfigError naming --link.
  Workers(
      const std::vector<std::string>& command,
      const LaunchOptions& options,
      int port);
  // Kills what is left, which is nothing unless something was thrown.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void start();
  // One that has failed, as a new process.
  void restart(int rank);

  // Take note of what has changed since the last call, for one process or all.
  void look_at(pid_t pid);
  void look_at_all();

  bool any_running() const;
  bool any_finished() const; // with 0
  bool only_stopped_are_running() const;

  void pass_on(int signal) { signal_all(signal); }
  // Sends SIGTERM or SIGKILL to those still running, 0: neither, they know
  // already; stopped ones wake up for it.
  void end_with(int signal);

  // Ranks that have failed since the last call, in the order in which their
  // ends were seen.
  std::vector<int> take_failures();
  std::optional<int> first_failed() const { return first_failed_; }
  const WorkerEnd& end(int rank) const { return workers_[rank].end; }
  std::vector<WorkerEnd> ends() const;

 private:
  struct Worker {
    pid_t pid = -1;
    bool running = true;
    WorkerEnd end;
  };

  pid_t spawn_worker(int rank, int restarts) const;
  std::vector<std::string> environment_of(int rank, int restarts) const;
  void signal_all(int signal);
  void look_at(Worker& worker);
  void note(Worker& worker, int status);

  const std::vector<std::string>& command_;
  const LaunchOptions& options_;
  int port_;
  int link_table_ = -1; // to be inherited; below 0: links are not limited
  std::vector<Worker> workers_; // by rank
  std::vector<int> failures_;
  std::optional<int> first_failed_;
  bool ending_ = false;
};

} // namespace grapevine::net
