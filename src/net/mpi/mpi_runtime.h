// MPI itself, as opposed to one communicator: who starts it and who ends it.
#pragma once

#include <memory>
#include <string>

namespace grapevine::net {

class MpiRuntime {
 public:
  // The process's one runtime, started with the first user and shared by all.
  // Throws TransportError if MPI cannot be started, has been finalised, or
  // does not let threads take turns.
  static std::shared_ptr<MpiRuntime> get();

  // Finalises what get() initialised, unless abandoned.
  ~MpiRuntime();
  MpiRuntime(const MpiRuntime&) = delete;
  MpiRuntime& operator=(const MpiRuntime&) = delete;

  // MPI_Finalize could wait for a dead peer for ever: leave it out.
  void abandon() { abandoned_ = true; }

 private:
  MpiRuntime();

  bool ours_ = false; // to finalise
  bool abandoned_ = false;
};

// "MPI_ERR_TRUNCATE: message truncated".
std::string mpi_error_text(int code);

} // namespace grapevine::net
