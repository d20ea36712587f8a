#include "net/launch/workers.h"

#include "net/launch/spawn.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace grapevine::net {

Workers::~Workers() {
  signal_all(SIGKILL);
  for (const Worker& worker : workers_) {
    if (worker.running) waitpid(worker.pid, nullptr, 0);
  }
}

pid_t Workers::spawn_worker(int rank, int restarts) const {
  return spawn(
      command_,
      worker_environment(options_, links_, rank, restarts, port_));
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
  signal_all(signal);
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
