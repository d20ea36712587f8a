// Moves the bytes of two workers of one machine through shared memory: a copy
// in and a copy out; the network of the same machine takes several times the
// processor time.
//
// Each side has memory of its own with the bytes that it sends in a ring;
// messages are a header and their bytes, in the order of sending. What comes
// before its receive is posted is kept aside. Bytes move only while the
// transport is called.
#include "net/byte_ring.h"
#include "net/shared_peers.h"
#include "net/slot_transport.h"
#include "net/wraps.h"

#include <array>
#include <stdexcept>

namespace grapevine::net {
namespace {

constexpr Tag kMeetingTag = 0;
// Small enough to stay in a core's cache.
constexpr size_t kRingBytes = size_t{1} << 20;
// For two workers that have just been connected; the talk cannot be cancelled.
constexpr std::chrono::seconds kLongestTalk{5};

constexpr size_t kMemoryBytes = sizeof(ByteRing::Marks) + kRingBytes;

ByteRing ring_of(const SharedPeers& peers, int rank) {
  const auto memory = peers.memory(rank);
  return {
      *reinterpret_cast<ByteRing::Marks*>(memory.data()),
      memory.subspan(sizeof(ByteRing::Marks))};
}

struct MessageHeader {
  int64_t tag;
  uint64_t length;
};

struct NearOperation {
  Message message;
  size_t moved = 0;
  bool has_header = false; // of a send: it has left
  bool is_done = false;
};

// A message that is coming in, or has come before its receive.
struct Arrival {
  Tag tag = 0;
  size_t length = 0;
  size_t come = 0;
  NearOperation* receive = nullptr; // null: not posted so far
  std::vector<std::byte> kept;      // meanwhile

  bool is_complete() const { return come == length; }
  std::byte* data() {
    return receive ? receive->message.bytes.data() : kept.data();
  }
};

class NearTransport : public SlotTransport<NearOperation, WrappedTransport> {
 public:
  NearTransport(
      std::unique_ptr<Transport> far,
      std::vector<int> workers,
      std::unique_ptr<SharedPeers> peers)
      : SlotTransport(std::move(workers), std::move(far)),
        peers_(std::move(peers)),
        peer_(1 - rank()),
        outgoing_(ring_of(*peers_, rank())),
        incoming_(ring_of(*peers_, peer_)) {}

  bool progress() override {
    throw_if_failed();
    push();
    pull();
    return true;
  }

  void interrupt() override {
    SlotTransport::interrupt();
    peers_->close(); // the peer fails soon, too
  }

 private:
  void begin(NearOperation& operation) override {
    operation.moved = 0;
    operation.has_header = false;
    operation.is_done = false;
    if (operation.message.is_send) {
      sends_.push_back(&operation);
      push();
    } else {
      receive(operation);
    }
  }

  // What the peer did before it left counts, so that is looked at first.
  bool advance(NearOperation& operation) override {
    if (operation.is_done) return true;
    const std::string departure = peers_->departure(peer_);
    push();
    pull();
    if (!operation.is_done && !departure.empty()) fail(operation, departure);
    return operation.is_done;
  }

  bool complete(NearOperation& operation, Deadline deadline) override {
    while (true) {
      const uint32_t heard = peers_->bell(rank()).listen();
      if (is_interrupted()) fail(operation, "interrupted");
      if (advance(operation)) return true;
      if (deadline.passed()) return false;
      peers_->bell(rank()).wait(
          heard,
          std::min(SharedPeers::kLook, deadline.remaining()));
    }
  }

  void close(const std::string& /*why*/) override { peers_->close(); }

  // The message of a receive may have come before it was posted.
  void receive(NearOperation& receive) {
    const auto early =
        std::ranges::find_if(arrivals_, [&](const Arrival& arrival) {
          return arrival.tag == receive.message.tag &&
                 arrival.receive == nullptr;
        });
    if (early == arrivals_.end()) {
      receives_.push_back(&receive);
      return;
    }
    join(*early, receive);
    std::copy_n(early->kept.data(), early->come, receive.message.bytes.data());
    early->kept = {};
    if (early->is_complete()) {
      receive.is_done = true;
      arrivals_.erase(early);
    }
  }

  void push() {
    bool any = false;
    while (!sends_.empty()) {
      NearOperation& send = *sends_.front();
      const auto bytes = send.message.bytes;
      if (!send.has_header) {
        const MessageHeader header{
            .tag = send.message.tag,
            .length = bytes.size()};
        if (outgoing_.room() < sizeof(header)) break;
        outgoing_.write(std::as_bytes(std::span(&header, 1)));
        send.has_header = any = true;
      }
      const size_t moved = outgoing_.write(bytes.subspan(send.moved));
      send.moved += moved;
      any |= moved > 0;
      if (send.moved < bytes.size()) break;
      send.is_done = true;
      sends_.pop_front();
    }
    if (any) peers_->bell(peer_).ring();
  }

  void pull() {
    bool any = false;
    while (begin_arrival(any)) {
      Arrival& arrival = arrivals_.back();
      const size_t moved = incoming_.read(
          {arrival.data() + arrival.come, arrival.length - arrival.come});
      arrival.come += moved;
      any |= moved > 0;
      if (!arrival.is_complete()) break;
      is_arriving_ = false;
      if (arrival.receive == nullptr) continue;
      arrival.receive->is_done = true;
      arrivals_.pop_back();
    }
    if (any) peers_->bell(peer_).ring();
  }

  // Returns whether the last of the arrivals is incomplete; begins a new one
  // if its header has come.
  bool begin_arrival(bool& any) {
    if (is_arriving_) return true;
    MessageHeader header{};
    if (incoming_.waiting() < sizeof(header)) return false;
    incoming_.read(std::as_writable_bytes(std::span(&header, 1)));
    any = true;
    is_arriving_ = true;
    Arrival& arrival = arrivals_.emplace_back();
    arrival.tag = static_cast<Tag>(header.tag);
    arrival.length = header.length;
    const auto posted =
        std::ranges::find_if(receives_, [&](const NearOperation* receive) {
          return receive->message.tag == arrival.tag;
        });
    if (posted == receives_.end()) {
      keep_aside(arrival);
    } else {
      join(arrival, **posted);
      receives_.erase(posted);
    }
    return true;
  }

  void keep_aside(Arrival& arrival) {
    try {
      arrival.kept.resize(arrival.length);
    } catch (const std::exception&) { // bad_alloc, length_error
      break_with<TransportError>(fmt::format(
          "no memory for a message of {} bytes from worker {}",
          arrival.length,
          worker(peer_)));
    }
  }

  void join(Arrival& arrival, NearOperation& receive) {
    if (!receive.message.takes(arrival.length)) {
      fail(receive, fmt::format("{} bytes have come", arrival.length));
    }
    arrival.receive = &receive;
  }

  // The wrapped transport is not used any more, but what it last sent may
  // still be on its way.
  std::unique_ptr<SharedPeers> peers_;
  int peer_;
  ByteRing outgoing_;
  ByteRing incoming_;
  std::deque<NearOperation*> sends_;    // not all in the ring
  std::deque<NearOperation*> receives_; // whose message has not begun to come
  std::deque<Arrival> arrivals_;
  bool is_arriving_ = false; // the last of them
};

// Texts of one length, over the transport of two workers.
std::vector<std::string>
swap_texts(Transport& far, const std::string& mine, Deadline deadline) {
  const int peer = 1 - far.rank();
  std::vector<std::string> texts(2, mine);
  const Request received = far.recv(
      std::as_writable_bytes(std::span(texts[peer])),
      peer,
      kMeetingTag);
  const Request sent =
      far.send(std::as_bytes(std::span(mine)), peer, kMeetingTag);
  far.wait(received, deadline);
  far.wait(sent, deadline);
  return texts;
}

} // namespace

Wrap move_near() {
  return {
      .apply = [](std::unique_ptr<Transport> far,
                  const GroupSpec& group,
                  Deadline deadline) -> std::unique_ptr<Transport> {
        if (group.workers.size() != 2) return far;
        const auto until =
            Deadline::after(std::min<std::chrono::duration<double>>(
                deadline.remaining(),
                kLongestTalk));
        auto peers = std::make_unique<SharedPeers>(
            far->rank(),
            far->memory_domain(),
            kMemoryBytes,
            [&](const std::string& mine) {
              return swap_texts(*far, mine, until);
            });
        if (peers->count() == 1) return far;
        return std::make_unique<NearTransport>(
            std::move(far),
            group.workers,
            std::move(peers));
      }};
}

} // namespace grapevine::net
