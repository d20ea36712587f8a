// Which lines of a run's records count: docs/formats.md, "Which lines count".
// The one place that knows.
#pragma once

#include <cstdint>
#include <map>

namespace grapevine::record {

// The attempts of a run, of all its files.
class Attempts {
 public:
  // An "attempt" line: its number, and the steps done in the checkpoint that
  // it starts from.
  void add(int64_t attempt, int64_t step);

  // Steps of `attempt` from here on were done again by a later one.
  int64_t superseded_from(int64_t attempt) const;

 private:
  std::map<int64_t, int64_t> resumed_at_;
};

// Follows one file: where its lines stand. Borrows the attempts.
class Position {
 public:
  explicit Position(const Attempts& attempts);

  // At an "attempt" line, with its number: the lines from it on are its own.
  void begin(int64_t attempt);
  // Whether a line of this step counts. A line without one has the step of
  // the line before it.
  bool counts(int64_t step) const { return step < superseded_from_; }

 private:
  const Attempts& attempts_;
  int64_t superseded_from_;
};

} // namespace grapevine::record
