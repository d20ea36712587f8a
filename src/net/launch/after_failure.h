// What a launch does about workers that fail: end the others, go on without
// the one, or start it again.
#pragma once

#include "base/deadline.h"
#include "net/launch/launch.h"
#include "net/launch/workers.h"
#include "net/store_server.h"

#include <string>
#include <vector>

namespace grapevine::net {

// "worker 2 was killed by signal 9", "worker 2 exited with 3".
std::string describe_end(const WorkerEnd& end);

class AfterFailure {
 public:
  // All must outlive this.
  AfterFailure(
      const LaunchOptions& options,
      Workers& workers,
      net::StoreServer& store)
      : options_(options),
        workers_(workers),
        store_(store) {}

  // The workers are told to end, by this signal: nobody is started again, nor
  // lost.
  void interrupt(int signal) { interrupted_by_ = signal; }

  // Call it often: clocks are looked at here.
  void act();

  // Whether a failure ends the whole launch.
  bool has_ended_all() const { return ends_all_; }
  // What became of those that failed while the others went on, in order.
  const std::vector<std::string>& story() const { return story_; }

 private:
  enum class Stage { kNone, kGrace, kTold };

  void go_on_after(int rank);
  bool may_restart(const WorkerEnd& end) const;
  void end_the_rest();
  void move_on(Stage stage, std::chrono::duration<double> duration);

  const LaunchOptions& options_;
  Workers& workers_;
  net::StoreServer& store_;
  int interrupted_by_ = 0; // 0: nobody was told to end
  bool told_so_ = false;   // in the story
  bool ends_all_ = false;
  std::vector<std::string> story_;
  Stage stage_ = Stage::kNone;
  Deadline until_ = Deadline::after(std::chrono::seconds(0));
};

} // namespace grapevine::net
