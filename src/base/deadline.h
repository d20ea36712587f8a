// A point in time after which waiting is an error.
#pragma once

#include <chrono>

namespace grapevine {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline after(std::chrono::duration<double> seconds) {
    return Deadline(
        Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds));
  }

  bool passed() const { return Clock::now() >= when_; }
  std::chrono::milliseconds remaining() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        when_ - Clock::now());
    return left.count() > 0 ? left : std::chrono::milliseconds(0);
  }

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

} // namespace grapevine
