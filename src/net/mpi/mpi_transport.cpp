#include "base/shared_memory.h"
#include "base/transport_table.h"
#include "net/slot_transport.h"
#include "net/transports.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <exception>
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

// "MPI_ERR_TRUNCATE: message truncated".
std::string mpi_error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) {
    return fmt::format("MPI error {}", code);
  }
  return std::string(text, length);
}

// MPI itself, as opposed to one communicator: who starts it and who ends it.
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

// MPI counts in int.
constexpr size_t kPieceBytes = size_t{1} << 30;

// MPI moves data only while it is called, so waiting is polling. At first the
// processor is only yielded: an exchange of a piece is a matter of 0.1 ms, and
// a sleep would cost as much. Then sleeps grow, so that a worker that waits
// for a slow one does not take its processor; not beyond the time in which a
// link's buffers run dry.
class Backoff {
 public:
  void pause() {
    if (Deadline::Clock::now() - begin_ < std::chrono::milliseconds(1)) {
      sched_yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = std::min(2 * sleep_, kLongest);
  }

 private:
  static constexpr std::chrono::microseconds kLongest{200};
  Deadline::Clock::time_point begin_ = Deadline::Clock::now();
  std::chrono::microseconds sleep_{10};
};

struct MpiOperation {
  Message message;
  std::vector<MPI_Request> pieces; // keeps its capacity
  size_t next = 0;                 // pieces before it have completed
};

class MpiTransport : public SlotTransport<MpiOperation> {
 public:
  MpiTransport()
      : SlotTransport({}),
        runtime_(MpiRuntime::get()),
        exceptions_(std::uncaught_exceptions()) {
    check(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    find_local_place();
  }

  ~MpiTransport() override {
    // Freeing the communicator and finalising are collective: the others can
    // be expected to come only if all is well.
    if (has_failed() || is_interrupted() ||
        std::uncaught_exceptions() > exceptions_) {
      runtime_->abandon();
      return;
    }
    MPI_Comm_free(&comm_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return std::string(kMpi.name); }
  std::optional<LocalPlace> local_place() const override { return local_; }
  std::string memory_domain() const override {
    return memory_domain_of_this_process();
  }

  bool progress() override {
    // Any call does; what it finds does not matter.
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
    return true;
  }

 private:
  static void check(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    throw TransportError(fmt::format("{}: {}", call, mpi_error_text(code)));
  }

  // Collective, as the constructor is.
  void find_local_place() {
    MPI_Comm sharers = MPI_COMM_NULL;
    check(
        MPI_Comm_split_type(
            comm_,
            MPI_COMM_TYPE_SHARED,
            rank_,
            MPI_INFO_NULL,
            &sharers),
        "MPI_Comm_split_type");
    MPI_Comm_rank(sharers, &local_.rank);
    MPI_Comm_size(sharers, &local_.size);
    MPI_Comm_free(&sharers);
  }

  void begin(MpiOperation& operation) override {
    operation.pieces.clear();
    operation.next = 0;
    const Message& message = operation.message;
    for_each_piece(
        message.bytes.size(),
        kPieceBytes,
        [&](size_t offset, size_t length) {
          std::byte* data = message.bytes.data() + offset;
          const int count = static_cast<int>(length);
          MPI_Request piece = MPI_REQUEST_NULL;
          const int code = message.is_send ? MPI_Isend(
                                                 data,
                                                 count,
                                                 MPI_BYTE,
                                                 message.peer,
                                                 message.tag,
                                                 comm_,
                                                 &piece)
                                           : MPI_Irecv(
                                                 data,
                                                 count,
                                                 MPI_BYTE,
                                                 message.peer,
                                                 message.tag,
                                                 comm_,
                                                 &piece);
          if (code != MPI_SUCCESS) fail(operation, mpi_error_text(code));
          operation.pieces.push_back(piece);
        });
  }

  bool advance(MpiOperation& operation) override {
    while (operation.next < operation.pieces.size()) {
      int done = 0;
      MPI_Status status;
      const int code =
          MPI_Test(&operation.pieces[operation.next], &done, &status);
      if (code != MPI_SUCCESS) fail(operation, mpi_error_text(code));
      if (done == 0) return false;
      check_length(operation, status);
      ++operation.next;
    }
    return true;
  }

  bool complete(MpiOperation& operation, Deadline deadline) override {
    Backoff backoff;
    while (!advance(operation)) {
      if (is_interrupted()) fail(operation, "interrupted");
      if (deadline.passed()) return false;
      backoff.pause();
    }
    return true;
  }

  // MPI itself reports a message that is too long, but not one too short.
  void check_length(const MpiOperation& operation, const MPI_Status& status) {
    const Message& message = operation.message;
    if (message.is_send || message.may_be_shorter) return;
    int received = 0;
    MPI_Get_count(&status, MPI_BYTE, &received);
    const size_t expected = std::min(
        kPieceBytes,
        message.bytes.size() - operation.next * kPieceBytes);
    if (received >= 0 && static_cast<size_t>(received) == expected) return;
    fail(
        operation,
        fmt::format(
            "lengths differ: {} bytes came, {} were expected",
            received,
            expected));
  }

  std::shared_ptr<MpiRuntime> runtime_;
  int exceptions_; // in flight when this was made
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  LocalPlace local_;
};

} // namespace

std::unique_ptr<Transport> make_mpi_transport() {
  return std::make_unique<MpiTransport>();
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
