#include "net/launch/after_failure.h"

#include "base/error.h"

#include <fmt/format.h>

#include <csignal>
#include <utility>

namespace grapevine::net {
namespace {

// Of a worker that was given a wrong command: another try would be as wrong.
constexpr int kUsersMistake = 2;

} // namespace

std::string describe_end(const WorkerEnd& end) {
  if (end.signal != 0) {
    return fmt::format(
        "worker {} was killed by signal {}",
        end.rank,
        end.signal);
  }
  return fmt::format("worker {} exited with {}", end.rank, end.exit_code);
}

void AfterFailure::act() {
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
  if (ends_all_ || (is_over && options_.on_failure != OnFailure::kEnd)) {
    end_the_rest();
  }
}

bool AfterFailure::may_restart(const WorkerEnd& end) const {
  return options_.on_failure == OnFailure::kRestart && interrupted_by_ == 0 &&
         !end.ended_by_launcher && end.restarts < options_.restarts &&
         !workers_.any_finished(); // whom could it join?
}

void AfterFailure::go_on_after(int rank) {
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

void AfterFailure::end_the_rest() {
  if (stage_ == Stage::kNone) move_on(Stage::kGrace, options_.grace);
  const bool hopeless = stage_ == Stage::kGrace && ends_all_ &&
                        workers_.only_stopped_are_running();
  if (!until_.passed() && !hopeless) return;
  workers_.end_with(stage_ == Stage::kGrace ? SIGTERM : SIGKILL);
  move_on(Stage::kTold, options_.kill_after);
}

void AfterFailure::move_on(
    Stage stage,
    std::chrono::duration<double> duration) {
  stage_ = stage;
  until_ = Deadline::after(duration);
}

} // namespace grapevine::net
