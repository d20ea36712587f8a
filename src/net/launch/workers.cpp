#include "net/launch/workers.h"

#include "base/error.h"
#include "net/launch/spawn.h"
#include "net/shaped/link_table.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace grapevine::net {

Workers::Workers(
    const std::vector<std::string>& command,
    const LaunchOptions& options,
    int port)
    : command_(command),
      options_(options),
      port_(port) {
  if (!options.link.limits()) return;
  try {
    link_table_ = LinkTable::create(
        {.workers = options.workers,
         .workers_per_node = std::max(1, options.workers_per_node),
         .link = options.link});
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--link: {}", error.what()));
  }
}

Workers::~Workers() {
  signal_all(SIGKILL);
  for (const Worker& worker : workers_) {
    if (worker.running) waitpid(worker.pid, nullptr, 0);
  }
  if (link_table_ >= 0) close(link_table_);
}

pid_t Workers::spawn_worker(int rank, int restarts) const {
  return spawn(command_, environment_of(rank, restarts));
}

// What launch.h promises.
std::vector<std::string> Workers::environment_of(int rank, int restarts) const {
  const int size = options_.workers;
  const int per_node =
      options_.workers_per_node > 0 ? options_.workers_per_node : size;
  const int first = rank / per_node * per_node;
  std::vector<std::pair<std::string, std::string>> changes = {
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(size)},
      {"LOCAL_RANK", std::to_string(rank - first)},
      {"LOCAL_WORLD_SIZE", std::to_string(std::min(per_node, size - first))},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(port_)},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
      {"GRAPEVINE_LAUNCH", "1"},
      {"GRAPEVINE_RESTART", std::to_string(restarts)},
      // Empty with kEnd, whatever the launcher itself was given.
      {"GRAPEVINE_ON_FAILURE",
       options_.on_failure == OnFailure::kContinue  ? "continue"
       : options_.on_failure == OnFailure::kRestart ? "restart"
                                                    : ""},
  };
  if (link_table_ >= 0) {
    changes.emplace_back("GRAPEVINE_LINK", format_link(options_.link));
    changes.emplace_back("GRAPEVINE_LINK_TABLE", std::to_string(link_table_));
  }
  if (options_.slow.slows()) {
    changes.emplace_back("GRAPEVINE_SLOW", format_slow(options_.slow));
  }
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    changes.emplace_back("OMP_NUM_THREADS", "1");
  }
  return environment_with(changes);
}

void Workers::start() {
  workers_.reserve(options_.workers);
  for (int rank = 0; rank < options_.workers; ++rank) {
    Worker worker;
    worker.end.rank = rank;
    worker.pid = spawn_worker(rank, 0);
    workers_.push_back(worker);
  }
}

void Workers::restart(int rank) {
  Worker& worker = workers_[rank];
  const int restarts = worker.end.restarts + 1;
  worker.pid = spawn_worker(rank, restarts);
  worker.running = true;
  worker.end = {.rank = rank, .restarts = restarts};
}

void Workers::look_at(pid_t pid) {
  for (Worker& worker : workers_) {
    if (worker.pid == pid) look_at(worker);
  }
}

void Workers::look_at_all() {
  for (Worker& worker : workers_)
    look_at(worker);
}

bool Workers::any_running() const {
  return std::ranges::any_of(workers_, &Worker::running);
}

bool Workers::any_finished() const {
  return std::ranges::any_of(workers_, [](const Worker& worker) {
    return !worker.running && !worker.end.failed();
  });
}

bool Workers::only_stopped_are_running() const {
  return std::ranges::all_of(workers_, [](const Worker& worker) {
    return !worker.running || worker.end.was_stopped;
  });
}

void Workers::end_with(int signal) {
  for (Worker& worker : workers_) {
    if (worker.running) worker.end.ended_by_launcher = true;
  }
  if (signal != 0) signal_all(signal);
  ending_ = true;
  signal_all(SIGCONT);
}

std::vector<int> Workers::take_failures() {
  return std::exchange(failures_, {});
}

std::vector<WorkerEnd> Workers::ends() const {
  std::vector<WorkerEnd> ends;
  for (const Worker& worker : workers_)
    ends.push_back(worker.end);
  return ends;
}

// A group exists until its leader is reaped, so no stranger is hit.
void Workers::signal_all(int signal) {
  for (const Worker& worker : workers_) {
    if (worker.running) kill(-worker.pid, signal);
  }
}

void Workers::look_at(Worker& worker) {
  constexpr int kHow = WNOHANG | WUNTRACED | WCONTINUED;
  int status = 0;
  while (worker.running && waitpid(worker.pid, &status, kHow) > 0) {
    note(worker, status);
  }
}

void Workers::note(Worker& worker, int status) {
  if (WIFSTOPPED(status)) {
    worker.end.was_stopped = true;
    return;
  }
  if (WIFCONTINUED(status)) {
    // Whom the launcher itself woke up to end it was stopped to the end.
    if (!ending_) worker.end.was_stopped = false;
    return;
  }
  worker.running = false;
  if (WIFEXITED(status)) worker.end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) worker.end.signal = WTERMSIG(status);
  // Only SIGKILL ends a stopped process; any other has been continued, even
  // if its end hid that.
  if (!worker.end.ended_by_launcher && worker.end.signal != SIGKILL) {
    worker.end.was_stopped = false;
  }
  if (!worker.end.failed()) return;
  failures_.push_back(worker.end.rank);
  if (!first_failed_) first_failed_ = worker.end.rank;
}

} // namespace grapevine::net
