// What a run's directory says about it, without its data and without torch.
#pragma once

#include "spec/spec.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace grapevine::sweep {

enum class State {
  kToDo,     // nothing there, or nothing to go on from
  kToResume, // has a checkpoint
  kDone,     // completed or diverged: its result is stored
};
std::string to_string(State state); // "to do", "to resume", "done before"

struct StoredState {
  State state = State::kToDo;
  int64_t step = 0; // of the checkpoint; done = 0
};

// Of the run in spec.out. With spec.fresh, and where the directory holds
// another spec or something broken, the run is to do: training it says what
// is wrong. Throws nothing for what it finds there.
StoredState stored_state(const spec::Spec& spec);

} // namespace grapevine::sweep
