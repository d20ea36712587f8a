// All candidates for n workers, tried side by side.
#pragma once

#include "base/thread_pool.h"
#include "sim/trial.h"

#include <functional>
#include <string>
#include <vector>

namespace grapevine::sim {

struct Skipped {
  Candidate candidate;
  std::string why;
};

// One caller at a time, the thread that made it.
class Trials {
 public:
  // The question is borrowed, and its costs are taken for checked.
  Trials(const Question& question, int n);

  // Those that n allows, in the order of candidates(), and the others.
  int size() const { return static_cast<int>(trials_.size()); }
  const Trial& operator[](int index) const { return trials_[index]; }
  const std::vector<Skipped>& skipped() const { return skipped_; }

  // Calls body(index) for each, on all threads.
  void for_each(const std::function<void(int)>& body);

 private:
  ThreadPool pool_;
  std::vector<Trial> trials_;
  std::vector<Skipped> skipped_;
};

} // namespace grapevine::sim
