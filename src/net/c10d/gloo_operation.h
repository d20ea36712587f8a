// One send or receive in flight over Gloo, cut into pieces.
//
// c10d's Work for these can be waited for but not asked whether it is done,
// and a wait that times out closes every connection of the group. So the first
// test of an operation hands its wait to a thread of the slot's own, which
// stays with the slot; operations that are only waited for never have one.
#pragma once

#include "base/job_thread.h"
#include "net/c10d/c10d.h"
#include "net/transport.h"

#include <vector>

namespace grapevine::net {

class GlooOperation {
 public:
  Message message;

  // Cheap: forgets the last operation of this slot.
  void reset();
  void add_piece(WorkPointer piece) { pieces_.push_back(std::move(piece)); }

  // Both throw what c10d threw. wait returns false if the deadline has passed,
  // if it can tell; else c10d's own time-out is among what is thrown.
  bool test();
  bool wait(Deadline deadline);

  // From any thread while another waits: that wait throws.
  void abort();
  // Ends all waiting, so that this can be destroyed or reset.
  void cancel();

 private:
  std::vector<WorkPointer> pieces_;
  JobThread watcher_;
  bool watched_ = false;
};

} // namespace grapevine::net
