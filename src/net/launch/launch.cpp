#include "net/launch/launch.h"

#include "base/error.h"
#include "net/launch/after_failure.h"
#include "net/launch/signal_inbox.h"
#include "net/launch/worker_environment.h"
#include "net/launch/workers.h"
#include "net/store_server.h"

#include <fmt/format.h>

#include <csignal>

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

LaunchReport make_report(
    const Workers& workers,
    const AfterFailure& after,
    int interrupted_by,
    bool was_told_first) {
  LaunchReport report;
  report.workers = workers.ends();
  report.first_failed = workers.first_failed();
  report.interrupted_by = interrupted_by;
  report.message = fmt::format("{}", fmt::join(after.story(), "; "));
  // Those who went on without the lost have finished, unless all were lost.
  if (!report.first_failed) return report;
  if (!after.has_ended_all() && workers.any_finished()) return report;
  const WorkerEnd& first = report.workers[*report.first_failed];
  report.exit_code = first.signal != 0 ? 1 : first.exit_code;
  if (after.has_ended_all()) {
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
  const auto store = net::serve_store(options.master_port);
  const Links links(options);
  SignalInbox inbox;
  Workers workers(command, options, links, store->port());
  workers.start();
  AfterFailure after(options, workers, *store);
  int interrupted_by = 0;
  bool was_told_first = false; // before anybody failed
  while (workers.any_running()) {
    // Wakes up at times, for the clocks of the ending. Which worker was the
    // first to fail is known by the order of the signals.
    for (const auto& signal : inbox.wait(std::chrono::milliseconds(100))) {
      if (signal.number == SIGCHLD) {
        workers.look_at(signal.child);
      } else {
        interrupted_by = signal.number;
        was_told_first = was_told_first || !workers.first_failed();
        after.interrupt(signal.number);
        workers.pass_on(signal.number);
      }
    }
    workers.look_at_all();
    after.act();
  }
  return make_report(workers, after, interrupted_by, was_told_first);
}

} // namespace grapevine::net
