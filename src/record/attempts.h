// Which lines of a run's records count: docs/formats.md, "Which lines count".
// The one place that knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace grapevine::record {

// The attempts of a run, of all its files.
class Attempts {
 public:
  // An "attempt" line of a file: its number, and the steps done in the
  // checkpoint that it starts from. is_own: those are this file's worker's
  // alone, who counts for itself (asynchronous runs).
  void add(int file, int64_t attempt, int64_t step, bool is_own);

 private:
  friend class Position;
  std::map<int64_t, int64_t> resumed_at_;              // by attempt
  std::map<int, std::vector<int64_t>> own_resumed_at_; // in a file's order
};

// Follows one file: where its lines stand. Borrows the attempts.
class Position {
 public:
  Position(const Attempts& attempts, int file);

  // At an "attempt" line: the lines from it on are its own.
  void begin(int64_t attempt, bool is_own);
  // Whether a line of this step counts. A line without one has the step of
  // the line before it.
  bool counts(int64_t step) const { return step < superseded_from_; }

 private:
  void look_ahead();

  const Attempts& attempts_;
  int file_;
  int64_t attempt_ = 0;
  size_t own_begun_ = 0;        // of this file's own attempts
  int64_t superseded_from_ = 0; // steps that a later attempt did again
};

} // namespace grapevine::record
