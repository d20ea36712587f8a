#include "net/launch/launch.h"

#include "base/deadline.h"
#include "base/error.h"
#include "net/gloo.h"
#include "net/launch/signal_inbox.h"
#include "net/launch/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace grapevine::net {
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
  if (options.restarts < 0) {
    throw ConfigError(
        fmt::format("--restarts: {} is not 0 or more", options.restarts));
  }
  const int per_node = options.workers_per_node;
  if (per_node < 0 || per_node > options.workers) {
    throw ConfigError(fmt::format(
        "--workers-per-node: {} of {} workers cannot share a node",
        per_node,
        options.workers));
  }
  try {
    check_slow_workers(options.slow, options.workers);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--slow: {}", error.what()));
  }
}

// "worker 2 was killed by signal 9", "worker 2 exited with 3".
std::string describe_end(const WorkerEnd& end) {
  if (end.signal != 0) {
    return fmt::format(
        "worker {} was killed by signal {}",
        end.rank,
        end.signal);
  }
  return fmt::format("worker {} exited with {}", end.rank, end.exit_code);
}

// What a launch does about workers that fail: ends the others, goes on without
// the one, or starts it again.
class FailurePolicy {
 public:
  // Borrows all.
  FailurePolicy(
      const LaunchOptions& options,
      Workers& workers,
      StoreServer& store)
      : options_(options),
        workers_(workers),
        store_(store) {}

  // The workers were told to end, by this signal: from now on none is started
  // again.
  void interrupt(int signal) { interrupted_by_ = signal; }

  // Call it often: clocks are looked at here.
  void act() {
    for (const int rank : workers_.take_failures()) {
      const bool is_final = options_.on_failure == OnFailure::kEnd ||
                            workers_.end(rank).exit_code == kUsersMistake;
      ends_all_ = ends_all_ || is_final;
      if (ends_all_) {
        store_.say_missing(describe_end(workers_.end(rank)));
      } else {
        go_on_after(rank);
      }
    }
    // Those who could finish have; a stopped one will not.
    const bool is_over = workers_.any_finished() && workers_.any_running() &&
                         workers_.only_stopped_are_running();
    if (ends_all_ || is_over) end_the_rest();
  }

  // Whether a failure ends the whole launch.
  bool has_ended_all() const { return ends_all_; }
  // What became of those that failed while the others went on, in order.
  const std::vector<std::string>& story() const { return story_; }

 private:
  // A worker that was given a wrong command: another try would be as wrong.
  static constexpr int kUsersMistake = 2;
  enum class Stage { kNone, kGrace, kTold };

  bool may_restart(const WorkerEnd& end) const {
    return options_.on_failure == OnFailure::kRestart && interrupted_by_ == 0 &&
           !end.ended_by_launcher && end.restarts < options_.restarts &&
           !workers_.any_finished(); // there is none that it could join
  }

  void go_on_after(int rank) {
    const WorkerEnd end = workers_.end(rank);
    const auto how = describe_end(end);
    std::string obstacle;
    if (may_restart(end)) {
      try {
        workers_.restart(rank);
        story_.push_back(fmt::format(
            "{} and was started again ({} of {})",
            how,
            end.restarts + 1,
            options_.restarts));
        return;
      } catch (const Error& error) {
        obstacle = fmt::format(" (started again? {})", error.what());
      }
    }
    if (interrupted_by_ == 0) {
      story_.push_back(fmt::format("{} and was lost{}", how, obstacle));
    } else {
      if (!std::exchange(told_so_, true)) {
        story_.push_back(
            fmt::format("told to end by signal {}", interrupted_by_));
      }
      story_.push_back(how);
    }
    store_.say_lost(rank, how);
    store_.say_missing(how);
  }

  void end_the_rest() {
    if (stage_ == Stage::kNone) move_on(Stage::kGrace, options_.grace);
    const bool hopeless = stage_ == Stage::kGrace && ends_all_ &&
                          workers_.only_stopped_are_running();
    if (!until_.passed() && !hopeless) return;
    // To a worker that writes its checkpoint after a first signal, a second
    // one means to end at once.
    const int first = interrupted_by_ == 0 ? SIGTERM : 0;
    workers_.end_with(stage_ == Stage::kGrace ? first : SIGKILL);
    move_on(Stage::kTold, options_.kill_after);
  }

  void move_on(Stage stage, std::chrono::duration<double> duration) {
    stage_ = stage;
    until_ = Deadline::after(duration);
  }

  const LaunchOptions& options_;
  Workers& workers_;
  StoreServer& store_;
  int interrupted_by_ = 0; // 0: the workers were not told to end
  bool told_so_ = false;   // in the story
  bool ends_all_ = false;
  std::vector<std::string> story_;
  Stage stage_ = Stage::kNone;
  Deadline until_ = Deadline::after(std::chrono::seconds(0));
};

// Who was the first to fail, and what the others had to be told.
std::string describe_ending(const LaunchReport& report, bool was_told_first) {
  const std::string first = describe_end(report.workers[*report.first_failed]);
  std::string message = was_told_first ? fmt::format(
                                             "told to end by signal {}; {}",
                                             report.interrupted_by,
                                             first)
                                       : first + " (first to fail)";
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

// A descriptor below 3 that is closed would become a socket of the store, and
// what is printed would go there.
void open_standard_streams() {
  int descriptor = 0;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}

LaunchReport make_report(
    const Workers& workers,
    const FailurePolicy& policy,
    int interrupted_by,
    bool was_told_first) {
  LaunchReport report;
  report.workers = workers.ends();
  report.first_failed = workers.first_failed();
  report.interrupted_by = interrupted_by;
  report.message = fmt::format("{}", fmt::join(policy.story(), "; "));
  // Those who went on without the lost have finished, unless all were lost.
  if (!report.first_failed) return report;
  if (!policy.has_ended_all() && workers.any_finished()) return report;
  const WorkerEnd& first = report.workers[*report.first_failed];
  report.exit_code = first.signal != 0 ? 1 : first.exit_code;
  if (policy.has_ended_all()) {
    report.message += report.message.empty() ? "" : "; ";
    report.message += describe_ending(report, was_told_first);
  }
  return report;
}

} // namespace

LaunchReport launch(
    const LaunchOptions& options,
    const std::vector<std::string>& command) {
  check_options(options, command);
  open_standard_streams();
  const auto store = serve_store(options.master_port);
  SignalInbox inbox;
  Workers workers(command, options, store->port());
  workers.start();
  FailurePolicy policy(options, workers, *store);
  int interrupted_by = 0;
  bool was_told_first = false; // before any failed
  while (workers.any_running()) {
    // Wakes up at times, for the clocks of the ending. Which worker was the
    // first to fail is known by the order of the signals.
    for (const auto& signal : inbox.wait(std::chrono::milliseconds(100))) {
      if (signal.number == SIGCHLD) {
        workers.look_at(signal.child);
      } else {
        interrupted_by = signal.number;
        was_told_first = was_told_first || !workers.first_failed();
        policy.interrupt(signal.number);
        // Programs that end in good order after a SIGTERM need not know of
        // terminals that were closed.
        workers.pass_on(signal.number == SIGHUP ? SIGTERM : signal.number);
      }
    }
    workers.look_at_all();
    policy.act();
  }
  return make_report(workers, policy, interrupted_by, was_told_first);
}

} // namespace grapevine::net
