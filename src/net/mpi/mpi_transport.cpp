#include "base/shared_memory.h"
#include "base/transport_table.h"
#include "net/failure.h"
#include "net/mpi/mpi_runtime.h"
#include "net/pieces.h"
#include "net/slot_table.h"
#include "net/transports.h"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace grapevine::net {
namespace {

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
  Direction direction = Direction::kSend;
  int peer = -1;
  size_t length = 0;
  bool may_be_shorter = false;     // what is received
  std::vector<MPI_Request> pieces; // keeps its capacity
  size_t next = 0;                 // pieces before it have completed
};

std::string describe(const MpiOperation& operation) {
  return describe(operation.direction, operation.length, operation.peer);
}

class MpiTransport : public Transport {
 public:
  MpiTransport()
      : runtime_(MpiRuntime::get()),
        exceptions_(std::uncaught_exceptions()) {
    const int code = MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    if (code != MPI_SUCCESS) fail("MPI_Comm_dup", mpi_error_text(code));
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    find_local_place();
  }

  ~MpiTransport() override {
    // Freeing the communicator and finalising are collective: only where all
    // is well can the others be expected to come.
    if (failure_.happened() || interrupted_ ||
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

  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    return post(
        Direction::kSend,
        bytes.size(),
        peer,
        tag,
        [&](size_t offset, int count, MPI_Request* piece) {
          const auto* from = bytes.data() + offset;
          return MPI_Isend(from, count, MPI_BYTE, peer, tag, comm_, piece);
        });
  }

  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    return post(
        Direction::kRecv,
        bytes.size(),
        peer,
        tag,
        [&](size_t offset, int count, MPI_Request* piece) {
          auto* to = bytes.data() + offset;
          return MPI_Irecv(to, count, MPI_BYTE, peer, tag, comm_, piece);
        });
  }

  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) override {
    check_room(room.size());
    const Request request = recv(room, peer, tag);
    slots_.at(request).may_be_shorter = true;
    return request;
  }

  bool test(Request request) override {
    failure_.throw_if_happened();
    MpiOperation& operation = slots_.at(request);
    if (!advance(operation)) return false;
    slots_.give_back(request);
    return true;
  }

  void wait(Request request, Deadline deadline) override {
    failure_.throw_if_happened();
    MpiOperation& operation = slots_.at(request);
    Backoff backoff;
    while (!advance(operation)) {
      if (interrupted_) fail(describe(operation), "interrupted");
      if (deadline.passed()) {
        const auto message = "timed out " + describe(operation);
        failure_.remember(message);
        throw TimeoutError(message);
      }
      backoff.pause();
    }
    slots_.give_back(request);
  }

  bool progress() override {
    // Any call does; what it finds does not matter.
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, MPI_STATUS_IGNORE);
    return true;
  }

  void interrupt() override { interrupted_ = true; }

 private:
  // Collective, as the constructor is.
  void find_local_place() {
    MPI_Comm sharers = MPI_COMM_NULL;
    const int code = MPI_Comm_split_type(
        comm_,
        MPI_COMM_TYPE_SHARED,
        rank_,
        MPI_INFO_NULL,
        &sharers);
    if (code != MPI_SUCCESS) fail("MPI_Comm_split_type", mpi_error_text(code));
    MPI_Comm_rank(sharers, &local_.rank);
    MPI_Comm_size(sharers, &local_.size);
    MPI_Comm_free(&sharers);
  }

  template <typename PostPiece>
  Request post(
      Direction direction,
      size_t bytes,
      int peer,
      Tag tag,
      PostPiece&& post_piece) {
    failure_.throw_if_happened();
    if (interrupted_) fail("mpi", "interrupted");
    check_operation(rank_, size_, peer, tag);
    const Request request = slots_.take();
    MpiOperation& operation = slots_.at(request);
    operation.direction = direction;
    operation.peer = peer;
    operation.length = bytes;
    operation.may_be_shorter = false;
    operation.pieces.clear();
    operation.next = 0;
    for_each_piece(bytes, kPieceBytes, [&](size_t offset, size_t length) {
      MPI_Request piece = MPI_REQUEST_NULL;
      const int code = post_piece(offset, static_cast<int>(length), &piece);
      if (code != MPI_SUCCESS) fail(describe(operation), mpi_error_text(code));
      operation.pieces.push_back(piece);
    });
    return request;
  }

  // True once all pieces have completed.
  bool advance(MpiOperation& operation) {
    while (operation.next < operation.pieces.size()) {
      int done = 0;
      MPI_Status status;
      const int code =
          MPI_Test(&operation.pieces[operation.next], &done, &status);
      if (code != MPI_SUCCESS) fail(describe(operation), mpi_error_text(code));
      if (done == 0) return false;
      if (operation.direction == Direction::kRecv &&
          !operation.may_be_shorter) {
        check_length(operation, status);
      }
      ++operation.next;
    }
    return true;
  }

  // MPI itself reports a message that is too long, but not one too short.
  void check_length(const MpiOperation& operation, const MPI_Status& status) {
    int received = 0;
    MPI_Get_count(&status, MPI_BYTE, &received);
    const size_t expected =
        std::min(kPieceBytes, operation.length - operation.next * kPieceBytes);
    if (received < 0 || static_cast<size_t>(received) != expected) {
      fail(
          describe(operation),
          fmt::format(
              "lengths differ: {} bytes came, {} were expected",
              received,
              expected));
    }
  }

  [[noreturn]] void fail(const std::string& what, const std::string& why) {
    const auto message = fmt::format("{}: {}", what, why);
    failure_.remember(message);
    throw TransportError(message);
  }

  std::shared_ptr<MpiRuntime> runtime_;
  int exceptions_; // in flight when this was made
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  LocalPlace local_;
  SlotTable<MpiOperation> slots_;
  Failure failure_;
  std::atomic<bool> interrupted_ = false;
};

} // namespace

std::unique_ptr<Transport> make_mpi_transport() {
  return std::make_unique<MpiTransport>();
}

} // namespace grapevine::net
