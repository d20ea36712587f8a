// Starts the workers of a run as processes of this machine and looks after
// them until the last one has ended: `grapevine launch -n 8 -- train …`.
//
// The launcher serves the store in which the workers meet, so that no worker's
// death takes the meeting point with it. Workers inherit stdin, stdout, stderr
// and the environment, to which it adds RANK, WORLD_SIZE, LOCAL_RANK,
// LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT,
// TORCHELASTIC_USE_AGENT_STORE=True, GRAPEVINE_LAUNCH=1, GRAPEVINE_RESTART (how
// often this worker was started again, from 0), GRAPEVINE_ON_FAILURE (continue,
// restart or nothing) and, unless it is set already, OMP_NUM_THREADS=1; with
// links GRAPEVINE_LINK and GRAPEVINE_LINK_TABLE, with slow workers
// GRAPEVINE_SLOW.
//
// How it ends:
//   - All workers exit with 0: so does the launcher.
//   - A worker fails (exits with another code, or a signal kills it): the
//     others have `grace` to notice and end by themselves, since their own
//     messages say whom they waited for. Then they get SIGTERM, and
//     `kill_after` later SIGKILL. Once only stopped ones (SIGSTOP, a debugger)
//     are left they are not waited for any longer.
//   - That is on_failure = kEnd. With kContinue the others go on without it:
//     workers that can (asynchronous ones over member::Edges) finish, and
//     those that cannot fail in turn. The store tells them who was lost. With
//     kRestart it is started again, until it has used up its restarts; then,
//     or once others have finished, or after a signal at the launcher, it is
//     lost as with kContinue. A worker that exits with 2 (the command was
//     wrong) ends all in any case.
//   - Stopped workers that are left when all others have finished are given
//     `grace`, and then ended.
//   - SIGINT or SIGTERM at the launcher is passed on to every worker, once
//     each time it comes, and SIGHUP, unless it is ignored (nohup), as SIGTERM;
//     the workers write their checkpoint and end. If one of them fails then,
//     the others are not told again, and get SIGKILL after `grace` and
//     `kill_after`.
//   - The launcher itself is killed: so are its workers (PR_SET_PDEATHSIG).
// Each worker leads a process group of its own, so that Ctrl-C on a terminal
// reaches the launcher alone, and signals reach a worker's children too.
#pragma once

#include "base/link_options.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::net {

enum class OnFailure { kEnd, kContinue, kRestart };

struct LaunchOptions {
  int workers = 1;
  OnFailure on_failure = OnFailure::kEnd;
  // How often each worker may be started again, with kRestart.
  int restarts = 3;
  // From the first failure until the others are told to end. The workers'
  // own deadline and a few seconds is a good choice.
  std::chrono::duration<double> grace{30};
  // From SIGTERM to SIGKILL: time for a checkpoint.
  std::chrono::duration<double> kill_after{10};
  // Port of the store on this machine; 0 takes a free one.
  int master_port = 0;
  // Rate of every node and delay of every link between nodes; by default none.
  // Holds for workers that make their transport by net::make_transport.
  LinkOptions link;
  // Who computes slower than usual; for workers that heed it, as training does.
  SlowOptions slow;
  // So many consecutive workers pass for a node: they share a rate, and their
  // LOCAL_RANK and LOCAL_WORLD_SIZE say so. 0: all of them are one node that
  // says nothing of links, each of which has its own rate.
  int workers_per_node = 0;
};

// How one worker ended.
struct WorkerEnd {
  int rank = -1;
  int restarts = 0;         // how often it was started again; the rest is of
                            // its last process
  int exit_code = -1;       // -1 where a signal ended it
  int signal = 0;           // 0 where it exited
  bool was_stopped = false; // stopped (SIGSTOP) when its end came, or never
                            // continued before the launcher ended it
  bool ended_by_launcher = false; // had got the launcher's SIGTERM or SIGKILL
  bool failed() const { return exit_code != 0; }
};

struct LaunchReport {
  // 0 if every worker exited with 0, or all that were not lost while the others
  // went on, at least one. Else the code of the first that failed, 1 where that
  // one was killed by a signal.
  int exit_code = 0;
  // Rank of the first to fail, in the order in which the ends were seen.
  std::optional<int> first_failed;
  // The signal that the launcher was asked to end with, or 0.
  int interrupted_by = 0;
  std::vector<WorkerEnd> workers; // by rank
  // "worker 2 was killed by signal 9 (first to fail); worker 3 was stopped"; of
  // those who went on, "worker 2 was killed by signal 9 and was started again
  // (1 of 3); worker 3 exited with 1 and was lost"; "told to end by signal 2;
  // worker 0 exited with 130", then also of the others. Empty if all went well.
  std::string message;
};

// Runs `command` (program, found through PATH, and its arguments) once for
// each worker and returns when all have been reaped. Nothing is left running.
// Prints nothing.
//
// Throws ConfigError if the options are impossible or the program cannot be
// started, TransportError naming the port if the store cannot be served.
// While it runs, the handlers of SIGINT, SIGTERM, SIGHUP and SIGCHLD are its
// own; one call at a time in a process.
LaunchReport launch(
    const LaunchOptions& options,
    const std::vector<std::string>& command);

} // namespace grapevine::net
