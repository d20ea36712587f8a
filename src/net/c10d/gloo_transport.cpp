#include "base/transport_table.h"
#include "net/c10d/gloo_operation.h"
#include "net/c10d/meeting.h"
#include "net/c10d/no_sigpipe.h"
#include "net/pieces.h"
#include "net/slot_table.h"
#include "net/transports.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <mutex>
#include <numeric>

namespace grapevine::net {
namespace {

// Gloo moves one large buffer each way between a pair at half duplex; in
// pieces of about this size both ways are busy (0.48 and 0.93 Gbit/s measured
// on a 1 Gbit/s link). Gloo itself takes a message that is shorter than the
// room for it, so that may be a piece, but not more.
constexpr size_t kPieceBytes = kMostRoom;

class GlooTransport : public Transport {
 public:
  GlooTransport(Meeting meeting, int rank, std::vector<int> workers)
      : store_(std::move(meeting.store)),
        group_(std::move(meeting.group)),
        memory_domain_(std::move(meeting.memory_domain)),
        rank_(rank),
        size_(static_cast<int>(workers.size())),
        workers_(std::move(workers)) {}

  ~GlooTransport() override { close(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return std::string(kGloo.name); }
  std::string memory_domain() const override { return memory_domain_; }

  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    return post(
        Direction::kSend,
        const_cast<std::byte*>(bytes.data()),
        bytes.size(),
        peer,
        tag);
  }

  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    return post(Direction::kRecv, bytes.data(), bytes.size(), peer, tag);
  }

  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) override {
    check_room(room.size());
    return recv(room, peer, tag);
  }

  bool test(Request request) override {
    failure_.throw_if_happened();
    GlooOperation& operation = slots_.at(request);
    try {
      if (!operation.test()) return false;
    } catch (const std::exception& error) {
      fail(operation, error.what());
    }
    slots_.give_back(request);
    return true;
  }

  void wait(Request request, Deadline deadline) override {
    failure_.throw_if_happened();
    GlooOperation& operation = slots_.at(request);
    try {
      const Waiting waiting(*this, operation);
      if (!operation.wait(deadline)) time_out(operation);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      // Gloo says so of its own clock only; a peer that died is another
      // message, even if it comes at the last moment.
      if (says_timed_out(error.what())) time_out(operation);
      fail(operation, error.what());
    }
    slots_.give_back(request);
  }

  void interrupt() override {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    if (waited_for_ != nullptr) waited_for_->abort();
  }

 private:
  // Names the operation at hand to whoever interrupts.
  class Waiting {
   public:
    Waiting(GlooTransport& transport, GlooOperation& operation)
        : transport_(transport) {
      const std::lock_guard lock(transport_.mutex_);
      if (transport_.interrupted_) throw std::runtime_error("interrupted");
      transport_.waited_for_ = &operation;
    }
    ~Waiting() {
      const std::lock_guard lock(transport_.mutex_);
      transport_.waited_for_ = nullptr;
    }

   private:
    GlooTransport& transport_;
  };

  Request
  post(Direction direction, std::byte* data, size_t bytes, int peer, Tag tag) {
    failure_.throw_if_happened();
    check_operation(rank_, size_, peer, tag);
    const Request request = slots_.take();
    GlooOperation& operation = slots_.at(request);
    operation.begin(direction, peer, bytes);
    const NoSigpipe no_sigpipe; // Gloo writes from here where it can
    try {
      for_each_piece(bytes, kPieceBytes, [&](size_t offset, size_t length) {
        operation.add_piece(
            post_piece(direction, data + offset, length, peer, tag));
      });
    } catch (const std::exception& error) {
      fail(operation, error.what());
    }
    return request;
  }

  WorkPointer post_piece(
      Direction direction,
      std::byte* data,
      size_t length,
      int peer,
      Tag tag) {
    tensor_[0] = at::from_blob(data, {static_cast<int64_t>(length)}, at::kByte);
    return direction == Direction::kSend ? group_->send(tensor_, peer, tag)
                                         : group_->recv(tensor_, peer, tag);
  }

  [[noreturn]] void time_out(GlooOperation& operation) {
    const auto message = "timed out " + describe(operation);
    failure_.remember(message);
    close();
    throw TimeoutError(message);
  }

  [[noreturn]] void fail(GlooOperation& operation, const std::string& cause) {
    const auto message =
        fmt::format("{}: {}", describe(operation), first_line(cause));
    failure_.remember(message);
    close();
    throw TransportError(message);
  }

  std::string describe(const GlooOperation& operation) const {
    return net::describe(
        operation.direction(),
        operation.length(),
        workers_[operation.peer()]);
  }

  // Nothing touches the bytes of any operation after this, and the peers see
  // their connections close.
  void close() {
    slots_.for_each_taken([](GlooOperation& operation) { operation.cancel(); });
    group_.reset();
    store_.reset();
  }

  StorePointer store_;
  c10::intrusive_ptr<::c10d::ProcessGroupGloo> group_;
  std::string memory_domain_;
  int rank_;
  int size_;
  std::vector<int> workers_; // what errors call the ranks
  std::vector<at::Tensor> tensor_ =
      std::vector<at::Tensor>(1); // what c10d's calls want
  SlotTable<GlooOperation> slots_;
  Failure failure_;
  std::mutex mutex_;
  // Guarded by mutex_.
  GlooOperation* waited_for_ = nullptr;
  bool interrupted_ = false;
};

} // namespace

std::unique_ptr<Transport>
make_gloo_transport(Meeting meeting, int rank, std::vector<int> workers) {
  return std::make_unique<GlooTransport>(
      std::move(meeting),
      rank,
      std::move(workers));
}

std::unique_ptr<Transport> make_gloo_transport(
    const LaunchEnvironment& environment,
    std::chrono::duration<double> deadline) {
  std::vector<int> workers(environment.size);
  std::iota(workers.begin(), workers.end(), 0);
  return make_gloo_transport(
      meet(environment, Deadline::after(deadline)),
      environment.rank,
      std::move(workers));
}

} // namespace grapevine::net
