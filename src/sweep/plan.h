// The runs of a sweep, checked, named and looked up.
#pragma once

#include "spec/matrix.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace grapevine::sweep {

enum class State {
  kToDo,     // nothing there, or nothing to resume from
  kToResume, // has a checkpoint
  kDone,     // completed or diverged: its result is stored
};
std::string to_string(State state); // "to do", "to resume", "done before"

// What a run's directory says about it, without its data and without torch.
struct StoredState {
  State state = State::kToDo;
  int64_t step = 0; // of the checkpoint; done = 0
};

// Of the run in spec.out. With spec.fresh, and if the directory holds another
// spec or something broken, the run is to do: training it reports what is
// wrong. Throws nothing for what it finds there.
StoredState stored_state(const spec::Spec& spec);

struct PlannedRun {
  spec::Spec spec;   // `out` is the run's own directory
  std::string label; // "ada seed 2": what distinguishes it
  StoredState stored;

  bool is_done() const { return stored.state == State::kDone; }
};

struct Plan {
  std::string title; // "fashion-mnist-96"
  std::string directory;
  std::vector<std::string> varied;
  std::vector<PlannedRun> runs;
};

// Checks every run by `check` (which may fill in what was not given), so that
// the last one does not fail for its spelling after the others took hours. Each
// gets a directory, named after its spec, in the `out` of the base or, by
// default, in runs/<stem of the file's name>. ConfigError as check; also if
// `out` itself varies.
Plan make_plan(
    spec::Matrix matrix,
    const std::string& file_name,
    const std::function<void(spec::ParsedSpec&)>& check);

// Indices of those that are not done yet.
std::vector<size_t> runs_to_do(const Plan& plan);

} // namespace grapevine::sweep
