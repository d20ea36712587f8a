// The workers that train together, seen from one of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace grapevine {

struct GroupOptions {
  // How long any wait for another worker may take before it is an error.
  double deadline_seconds = 300;
  // Planes travel in pieces of this size. Changes times, never results.
  long bucket_bytes = 1 << 20;
  // Packs what goes over Gloo without loss, to about 0.85 of its bytes: where
  // the network is the limit. The same for all workers, or they do not join;
  // over MPI it is refused.
  bool packing = false;
};

// Cheap to copy; copies are the same worker.
class Group {
 public:
  // Joins the group that the launcher of this process names: mpirun, srun,
  // torchrun or `grapevine launch`; a group of one where there is none.
  // Throws std::runtime_error with the reason (a variable that is missing, a
  // peer that never came, a port in use; `launch --slow`, which cannot slow
  // down a loop that is the caller's).
  static Group from_environment(const GroupOptions& options = {});

  // n workers inside this process, one for each thread that trains. For
  // tests, and to try things out.
  static std::vector<Group> in_process(int n, const GroupOptions& options = {});

  int rank() const;
  int size() const;
  // "mpi", "gloo" or "local".
  std::string transport() const;

 private:
  friend class DataParallel;
  struct State;
  explicit Group(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

} // namespace grapevine
