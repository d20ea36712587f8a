#include "launch/launch.h"

#include "base/deadline.h"
#include "base/error.h"
#include "launch/signal_inbox.h"
#include "launch/spawn.h"
#include "launch/worker_environment.h"
#include "transport/store_server.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace grapevine::launch {
namespace {

void check_options(
    const LaunchOptions& options,
    const std::vector<std::string>& command) {
  if (options.workers < 1) {
    throw ConfigError(fmt::format(
        "-n: {} workers cannot be launched; at least 1",
        options.workers));
  }
  if (options.master_port < 0 || options.master_port > 65535) {
    throw ConfigError(
        fmt::format("{} is not a port (0 to 65535)", options.master_port));
  }
  if (command.empty()) {
    throw ConfigError("launch: no command was given after --");
  }
  const int per_node = options.workers_per_node;
  if (per_node < 0 || per_node > options.workers) {
    throw ConfigError(fmt::format(
        "--workers-per-node: {} of {} workers cannot share a node",
        per_node,
        options.workers));
  }
  try {
    transport::check_slow_workers(options.slow, options.workers);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--slow: {}", error.what()));
  }
}

// The processes, from their start until the last one has been reaped.
class Workers {
 public:
  Workers() = default;
  // Kills what is left, which is nothing unless something was thrown.
  ~Workers() {
    signal_all(SIGKILL);
    for (const Worker& worker : workers_) {
      if (worker.running) waitpid(worker.pid, nullptr, 0);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void start(
      const std::vector<std::string>& command,
      const LaunchOptions& options,
      const Links& links,
      int port) {
    workers_.reserve(options.workers);
    for (int rank = 0; rank < options.workers; ++rank) {
      Worker worker;
      worker.end.rank = rank;
      worker.pid =
          spawn(command, worker_environment(options, links, rank, port));
      workers_.push_back(worker);
    }
  }

  bool any_running() const {
    return std::any_of(workers_.begin(), workers_.end(), is_running);
  }

  bool only_stopped_are_running() const {
    return std::all_of(
        workers_.begin(),
        workers_.end(),
        [](const Worker& worker) {
          return !worker.running || worker.end.was_stopped;
        });
  }

  // Take note of what has changed since the last call, for one process or all.
  void look_at(pid_t pid) {
    for (Worker& worker : workers_) {
      if (worker.pid == pid) look_at(worker);
    }
  }
  void look_at_all() {
    for (Worker& worker : workers_) {
      look_at(worker);
    }
  }

  void pass_on(int signal) { signal_all(signal); }

  // SIGTERM or SIGKILL to those still running; stopped ones wake up for it.
  void end_with(int signal) {
    for (Worker& worker : workers_) {
      if (worker.running) worker.end.ended_by_launcher = true;
    }
    signal_all(signal);
    ending_ = true;
    signal_all(SIGCONT);
  }

  std::optional<int> first_failed() const { return first_failed_; }

  std::vector<WorkerEnd> ends() const {
    std::vector<WorkerEnd> ends;
    for (const Worker& worker : workers_) {
      ends.push_back(worker.end);
    }
    return ends;
  }

 private:
  struct Worker {
    pid_t pid = -1;
    bool running = true;
    WorkerEnd end;
  };

  static bool is_running(const Worker& worker) { return worker.running; }

  // A group exists until its leader is reaped, so no stranger is hit.
  void signal_all(int signal) {
    for (const Worker& worker : workers_) {
      if (worker.running) kill(-worker.pid, signal);
    }
  }

  void look_at(Worker& worker) {
    constexpr int kHow = WNOHANG | WUNTRACED | WCONTINUED;
    int status = 0;
    while (worker.running && waitpid(worker.pid, &status, kHow) > 0) {
      note(worker, status);
    }
  }

  void note(Worker& worker, int status) {
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
    if (worker.end.failed() && !first_failed_) {
      first_failed_ = worker.end.rank;
    }
  }

  std::vector<Worker> workers_;
  std::optional<int> first_failed_;
  bool ending_ = false;
};

// What to do about workers that outlive the first failure, and when.
class Ending {
 public:
  explicit Ending(const LaunchOptions& options) : options_(options) {}

  void act(Workers& workers) {
    if (!workers.first_failed()) return;
    if (stage_ == Stage::kNone) {
      move_on(Stage::kGrace, options_.grace);
    }
    const bool hopeless =
        stage_ == Stage::kGrace && workers.only_stopped_are_running();
    if (!until_.passed() && !hopeless) return;
    workers.end_with(stage_ == Stage::kGrace ? SIGTERM : SIGKILL);
    move_on(Stage::kTold, options_.kill_after);
  }

 private:
  enum class Stage { kNone, kGrace, kTold };

  void move_on(Stage stage, std::chrono::duration<double> duration) {
    stage_ = stage;
    until_ = Deadline::after(duration);
  }

  const LaunchOptions& options_;
  Stage stage_ = Stage::kNone;
  Deadline until_ = Deadline::after(std::chrono::seconds(0));
};

std::string describe_end(const WorkerEnd& end) {
  if (end.signal != 0) {
    return fmt::format(
        "worker {} was killed by signal {}",
        end.rank,
        end.signal);
  }
  return fmt::format("worker {} exited with {}", end.rank, end.exit_code);
}

std::string describe(const LaunchReport& report) {
  if (!report.first_failed) return "";
  std::string message =
      describe_end(report.workers[*report.first_failed]) + " (first to fail)";
  for (const WorkerEnd& end : report.workers) {
    if (end.was_stopped) {
      message += fmt::format("; worker {} was stopped", end.rank);
    }
    if (end.ended_by_launcher) {
      message += fmt::format(
          "; worker {} did not end by itself and was told to",
          end.rank);
    }
  }
  return message;
}

LaunchReport make_report(const Workers& workers, int interrupted_by) {
  LaunchReport report;
  report.workers = workers.ends();
  report.first_failed = workers.first_failed();
  report.interrupted_by = interrupted_by;
  if (report.first_failed) {
    const WorkerEnd& first = report.workers[*report.first_failed];
    report.exit_code = first.signal != 0 ? 1 : first.exit_code;
  }
  report.message = describe(report);
  return report;
}

} // namespace

LaunchReport launch(
    const LaunchOptions& options,
    const std::vector<std::string>& command) {
  check_options(options, command);
  const auto store = transport::serve_store(options.master_port);
  const Links links(options);
  SignalInbox inbox;
  Workers workers;
  workers.start(command, options, links, store->port());
  Ending ending(options);
  int interrupted_by = 0;
  while (workers.any_running()) {
    // Wakes up at times, for the clocks of the ending. Which worker was the
    // first to fail is known by the order of the signals.
    for (const auto& signal : inbox.wait(std::chrono::milliseconds(100))) {
      if (signal.number == SIGCHLD) {
        workers.look_at(signal.child);
      } else {
        interrupted_by = signal.number;
        workers.pass_on(signal.number);
      }
    }
    workers.look_at_all();
    ending.act(workers);
  }
  return make_report(workers, interrupted_by);
}

} // namespace grapevine::launch
