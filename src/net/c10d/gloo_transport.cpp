#include "base/transport_table.h"
#include "net/c10d/gloo_operation.h"
#include "net/c10d/meeting.h"
#include "net/c10d/no_sigpipe.h"
#include "net/slot_transport.h"
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

class GlooTransport : public SlotTransport<GlooOperation> {
 public:
  GlooTransport(Meeting meeting, int rank, std::vector<int> workers)
      : SlotTransport(workers),
        store_(std::move(meeting.store)),
        group_(std::move(meeting.group)),
        memory_domain_(std::move(meeting.memory_domain)),
        rank_(rank),
        size_(static_cast<int>(workers.size())) {}

  ~GlooTransport() override { close({}); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return std::string(kGloo.name); }
  std::string memory_domain() const override { return memory_domain_; }

  void interrupt() override {
    SlotTransport::interrupt();
    const std::lock_guard lock(mutex_);
    if (waited_for_ != nullptr) waited_for_->abort();
  }

 private:
  // Names the operation that is waited for to interrupt().
  class Waiting {
   public:
    Waiting(GlooTransport& transport, GlooOperation& operation)
        : transport_(transport) {
      const std::lock_guard lock(transport_.mutex_);
      if (transport_.is_interrupted()) throw std::runtime_error("interrupted");
      transport_.waited_for_ = &operation;
    }
    ~Waiting() {
      const std::lock_guard lock(transport_.mutex_);
      transport_.waited_for_ = nullptr;
    }

   private:
    GlooTransport& transport_;
  };

  void begin(GlooOperation& operation) override {
    operation.reset();
    const Message& message = operation.message;
    const NoSigpipe no_sigpipe; // Gloo writes from here if it can
    translate(operation, [&] {
      for_each_piece(
          message.bytes.size(),
          kPieceBytes,
          [&](size_t offset, size_t length) {
            tensor_[0] = at::from_blob(
                message.bytes.data() + offset,
                {static_cast<int64_t>(length)},
                at::kByte);
            operation.add_piece(
                message.is_send
                    ? group_->send(tensor_, message.peer, message.tag)
                    : group_->recv(tensor_, message.peer, message.tag));
          });
      return true;
    });
  }

  bool advance(GlooOperation& operation) override {
    return translate(operation, [&] { return operation.test(); });
  }

  bool complete(GlooOperation& operation, Deadline deadline) override {
    return translate(operation, [&] {
      const Waiting waiting(*this, operation);
      return operation.wait(deadline);
    });
  }

  // Gives c10d's errors the name of the operation.
  template <typename Call>
  bool translate(const GlooOperation& operation, const Call& call) {
    try {
      return call();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      // Gloo says so of its own clock only; a peer that died is another
      // message, even if it comes at the last moment.
      if (says_timed_out(error.what())) time_out(operation);
      fail(operation, first_line(error.what()));
    }
  }

  // Nothing touches the bytes of any operation after this, and the peers see
  // their connections close.
  void close(const std::string& /*why*/) override {
    slots_.for_each_taken([](GlooOperation& operation) { operation.cancel(); });
    group_.reset();
    store_.reset();
  }

  StorePointer store_;
  c10::intrusive_ptr<::c10d::ProcessGroupGloo> group_;
  std::string memory_domain_;
  int rank_;
  int size_;
  std::vector<at::Tensor> tensor_ =
      std::vector<at::Tensor>(1); // what c10d's calls want
  std::mutex mutex_;
  // Guarded by mutex_.
  GlooOperation* waited_for_ = nullptr;
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
