#include "net/c10d/gloo_operation.h"

namespace grapevine::net {
namespace {

// A watched operation is given up by cancel, never by c10d's clock.
constexpr std::chrono::milliseconds kVeryLong = std::chrono::hours(24 * 365);

} // namespace

void GlooOperation::reset() {
  pieces_.clear();
  watched_ = false;
}

bool GlooOperation::test() {
  if (!watched_) {
    watched_ = true;
    watcher_.start([this] {
      for (const WorkPointer& piece : pieces_) {
        if (!piece->wait(kVeryLong)) return; // cancelled
      }
    });
  }
  if (!watcher_.is_finished()) return false;
  watcher_.rethrow();
  return true;
}

bool GlooOperation::wait(Deadline deadline) {
  if (watched_) {
    if (!watcher_.wait(deadline)) return false;
    watcher_.rethrow();
    return true;
  }
  for (const WorkPointer& piece : pieces_) {
    // False is an abort; a time-out throws.
    if (!piece->wait(c10d_timeout(deadline))) {
      throw std::runtime_error("interrupted");
    }
  }
  return true;
}

void GlooOperation::abort() {
  // An abort stays until a wait meets it, so none can be missed.
  for (const WorkPointer& piece : pieces_) {
    piece->abort();
  }
}

void GlooOperation::cancel() {
  abort();
  if (watched_) watcher_.wait();
  watched_ = false;
  pieces_.clear();
}

} // namespace grapevine::net
