// The last operations of a worker, kept in a ring: the answer to "which rank
// is stuck where".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::mix {

struct Flight {
  enum class State : uint8_t { kPosted, kDone, kFailed };
  int64_t number = 0; // counts operations from 0
  int64_t step = -1;
  const char* operation = ""; // "mix", "barrier", …: a literal
  const char* direction = ""; // "send", "recv"
  int peer = -1;
  int64_t bytes = 0;
  double posted_seconds = 0; // since the recorder was made
  double finished_seconds = 0;
  State state = State::kPosted;
};

class FlightRecorder {
 public:
  explicit FlightRecorder(int capacity = 64);

  // Never allocates. Returns the number to finish it by.
  int64_t post(
      int64_t step,
      const char* operation,
      const char* direction,
      int peer,
      int64_t bytes);
  void finish(int64_t number, Flight::State state);

  // Oldest first.
  std::vector<Flight> last() const;
  // One line an operation, the newest last.
  std::string describe(int most = 8) const;

 private:
  double now() const;

  std::vector<Flight> ring_;
  int64_t next_ = 0;
  int64_t epoch_nanoseconds_;
};

} // namespace grapevine::mix
