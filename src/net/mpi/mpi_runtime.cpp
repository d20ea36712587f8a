#include "net/mpi/mpi_runtime.h"

#include "base/error.h"
#include "net/transports.h"

#include <fmt/format.h>
#include <mpi.h>

#include <mutex>
#include <thread>

namespace grapevine::net {
namespace {

bool is_running() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

bool is_finalized() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

} // namespace

std::string mpi_error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
    return fmt::format("MPI error {}", code);
  }
  return std::string(text, length);
}

std::shared_ptr<MpiRuntime> MpiRuntime::get() {
  // MPI is one for the process by its own rules, so this is too.
  static std::mutex mutex;
  static std::weak_ptr<MpiRuntime> current;
  const std::lock_guard lock(mutex);
  auto runtime = current.lock();
  if (runtime == nullptr) {
    runtime = std::shared_ptr<MpiRuntime>(new MpiRuntime());
    current = runtime;
  }
  return runtime;
}

MpiRuntime::MpiRuntime() {
  if (is_finalized()) {
    throw TransportError("MPI has been finalised and cannot be started again");
  }
  int provided = MPI_THREAD_SINGLE;
  if (is_running()) {
    MPI_Query_thread(&provided);
  } else {
    const int code =
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    if (code != MPI_SUCCESS) {
      throw TransportError("MPI_Init_thread: " + mpi_error_text(code));
    }
    ours_ = true;
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    throw TransportError(fmt::format(
        "this MPI offers thread level {}; Grapevine needs at least "
        "MPI_THREAD_SERIALIZED ({})",
        provided,
        MPI_THREAD_SERIALIZED));
  }
}

MpiRuntime::~MpiRuntime() {
  if (ours_ && !abandoned_ && is_running()) MPI_Finalize();
}

bool mpi_is_available() {
  return true;
}

void abandon_mpi(
    int exit_code,
    std::chrono::duration<double> last_words) noexcept {
  if (!is_running()) return;
  std::this_thread::sleep_for(last_words);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

} // namespace grapevine::net
