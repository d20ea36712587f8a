// One send or receive in flight over Gloo, cut into pieces.
//
// c10d's Work for these can be waited for but not asked whether it is done,
// and a wait that times out closes every connection of the group. So the first
// test of an operation hands its wait to a thread of the slot's own, which
// stays with the slot; operations that are only waited for never have one.
#pragma once

#include "net/c10d/c10d.h"
#include "net/failure.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace grapevine::net {

// Runs one job at a time on a thread that it keeps. One user.
class Watcher {
 public:
  Watcher() : thread_([this] { run(); }) {}
  // The job must end by itself or have been aborted.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void start(std::function<void()> job);
  bool finished();
  // False if the deadline has passed first.
  bool wait(Deadline deadline);
  // What the finished job has thrown, if anything.
  void rethrow();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::function<void()> job_;
  bool busy_ = false;
  bool stop_ = false;
  std::exception_ptr thrown_;

  std::thread thread_; // last: it uses the others
};

class GlooOperation {
 public:
  // Cheap: forgets the last operation of this slot.
  void begin(Direction direction, int peer, size_t length);
  void add_piece(WorkPointer piece) { pieces_.push_back(std::move(piece)); }

  Direction direction() const { return direction_; }
  int peer() const { return peer_; }
  size_t length() const { return length_; }

  // Both throw what c10d threw. wait returns false if the deadline has passed,
  // if it can tell; else c10d's own time-out is among what is thrown.
  bool test();
  bool wait(Deadline deadline);

  // From any thread while another waits: that wait throws.
  void abort();
  // Ends all waiting, so that this can be destroyed or begun anew.
  void cancel();

 private:
  Direction direction_ = Direction::kSend;
  int peer_ = -1;
  size_t length_ = 0;
  std::vector<WorkPointer> pieces_;
  std::unique_ptr<Watcher> watcher_;
  bool watched_ = false;
};

} // namespace grapevine::net
