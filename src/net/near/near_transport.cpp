#include "net/near/near_transport.h"

#include "base/shared_memory.h"
#include "net/failure.h"
#include "net/near/byte_ring.h"
#include "net/slot_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <new>
#include <random>

namespace grapevine::net {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Tag kNameTag = 0;
constexpr Tag kOpenedTag = 1;
// Small enough to stay in a core's cache.
constexpr size_t kRingBytes = size_t{1} << 20;
// Of two workers that have just been connected; nobody can cancel it.
constexpr std::chrono::seconds kLongestTalk{5};
// How often it is looked whether the peer's process still lives.
constexpr std::chrono::milliseconds kLook{50};

// The beginning of a side's memory; zero at first. Its ring lies behind.
struct Side {
  uint64_t token; // by which the peer knows that it has opened this one
  Bell bell;      // rung by the peer after everything it does
  std::atomic<uint32_t> is_closed;
  ByteRing::Marks marks;
};
constexpr size_t kRingAt = 4096;
static_assert(sizeof(Side) <= kRingAt);

Side& side_in(SharedMemory& memory) {
  return *reinterpret_cast<Side*>(memory.bytes().data());
}

ByteRing ring_in(SharedMemory& memory) {
  return {side_in(memory).marks, memory.bytes().subspan(kRingAt)};
}

struct MessageHeader {
  int64_t tag;
  uint64_t length;
};

struct NearOperation {
  Direction direction = Direction::kSend;
  Tag tag = 0;
  std::byte* data = nullptr; // of a send only read
  size_t length = 0;
  size_t moved = 0;
  bool may_be_shorter = false; // what is received
  bool has_header = false;     // of a send: it has left
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
  std::byte* data() { return receive ? receive->data : kept.data(); }
};

class NearTransport : public Transport {
 public:
  NearTransport(
      std::unique_ptr<Transport> far,
      std::vector<int> workers,
      std::unique_ptr<SharedMemory> mine,
      std::unique_ptr<SharedMemory> theirs)
      : far_(std::move(far)),
        workers_(std::move(workers)),
        mine_(std::move(mine)),
        theirs_(std::move(theirs)),
        side_(side_in(*mine_)),
        peer_side_(side_in(*theirs_)),
        outgoing_(ring_in(*mine_)),
        incoming_(ring_in(*theirs_)) {}

  ~NearTransport() override { close(); }

  int rank() const override { return far_->rank(); }
  int size() const override { return 2; }
  std::string name() const override { return far_->name(); }
  std::string memory_domain() const override { return far_->memory_domain(); }

  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    auto* data = const_cast<std::byte*>(bytes.data());
    const Request request =
        post(Direction::kSend, {data, bytes.size()}, peer, tag);
    sends_.push_back(&slots_.at(request));
    push();
    return request;
  }

  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    return receive(post(Direction::kRecv, bytes, peer, tag), tag);
  }

  Request recv_at_most(std::span<std::byte> room, int peer, Tag tag) override {
    check_room(room.size());
    const Request request = post(Direction::kRecv, room, peer, tag);
    slots_.at(request).may_be_shorter = true;
    return receive(request, tag);
  }

  bool test(Request request) override {
    throw_if_of_no_use();
    const NearOperation& operation = slots_.at(request);
    if (!advance_to(operation)) return false;
    slots_.give_back(request);
    return true;
  }

  void wait(Request request, Deadline deadline) override {
    throw_if_of_no_use();
    const NearOperation& operation = slots_.at(request);
    while (true) {
      const uint32_t heard = side_.bell.listen();
      if (interrupted_) fail(operation, "interrupted");
      if (advance_to(operation)) break;
      if (deadline.passed()) time_out(operation);
      side_.bell.wait(heard, std::min(kLook, deadline.remaining()));
    }
    slots_.give_back(request);
  }

  bool progress() override {
    throw_if_of_no_use();
    push();
    pull();
    return true;
  }

  void interrupt() override {
    interrupted_ = true;
    close(); // the peer fails soon, too
    side_.bell.ring();
  }

 private:
  Request
  post(Direction direction, std::span<std::byte> bytes, int peer, Tag tag) {
    throw_if_of_no_use();
    check_operation(rank(), size(), peer, tag);
    const Request request = slots_.take();
    slots_.at(request) = {
        .direction = direction,
        .tag = tag,
        .data = bytes.data(),
        .length = bytes.size()};
    return request;
  }

  // Of what was just posted: its message may have come before.
  Request receive(Request request, Tag tag) {
    NearOperation& receive = slots_.at(request);
    const auto early =
        std::ranges::find_if(arrivals_, [&](const Arrival& arrival) {
          return arrival.tag == tag && arrival.receive == nullptr;
        });
    if (early == arrivals_.end()) {
      receives_.push_back(&receive);
      return request;
    }
    join(*early, receive);
    std::copy_n(early->kept.data(), early->come, receive.data);
    early->kept = {};
    if (early->is_complete()) {
      receive.is_done = true;
      arrivals_.erase(early);
    }
    return request;
  }

  void throw_if_of_no_use() {
    if (interrupted_) failure_.remember("interrupted");
    failure_.throw_if_happened();
  }

  // True once it is done. What the peer did before it left counts, so that is
  // looked at first.
  bool advance_to(const NearOperation& operation) {
    if (operation.is_done) return true;
    const std::string departure = peer_departure();
    push();
    pull();
    if (!operation.is_done && !departure.empty()) fail(operation, departure);
    return operation.is_done;
  }

  // Why the peer is gone; empty: it is not.
  std::string peer_departure() {
    if (peer_side_.is_closed != 0) return "it has closed the link";
    const auto now = Clock::now();
    if (now < look_at_) return {};
    look_at_ = now + kLook;
    return theirs_->maker_is_gone() ? "its process has ended" : "";
  }

  void push() {
    const uint64_t before = side_.marks.written;
    while (!sends_.empty() && push(*sends_.front()))
      sends_.pop_front();
    if (side_.marks.written != before) peer_side_.bell.ring();
  }

  // True once all of it is in the ring.
  bool push(NearOperation& send) {
    if (!send.has_header) {
      const MessageHeader header{.tag = send.tag, .length = send.length};
      if (outgoing_.room() < sizeof(header)) return false;
      outgoing_.write(std::as_bytes(std::span(&header, 1)));
      send.has_header = true;
    }
    send.moved +=
        outgoing_.write({send.data + send.moved, send.length - send.moved});
    send.is_done = send.moved == send.length;
    return send.is_done;
  }

  void pull() {
    const uint64_t before = peer_side_.marks.read;
    while (begin_arrival()) {
      Arrival& arrival = arrivals_.back();
      arrival.come += incoming_.read(
          {arrival.data() + arrival.come, arrival.length - arrival.come});
      if (!arrival.is_complete()) break;
      is_arriving_ = false;
      if (arrival.receive == nullptr) continue;
      arrival.receive->is_done = true;
      arrivals_.pop_back();
    }
    if (peer_side_.marks.read != before) peer_side_.bell.ring();
  }

  // True if the last of the arrivals is under way.
  bool begin_arrival() {
    if (is_arriving_) return true;
    MessageHeader header{};
    if (incoming_.waiting() < sizeof(header)) return false;
    incoming_.read(std::as_writable_bytes(std::span(&header, 1)));
    is_arriving_ = true;
    Arrival& arrival = arrivals_.emplace_back();
    arrival.tag = static_cast<Tag>(header.tag);
    arrival.length = header.length;
    const auto posted =
        std::ranges::find_if(receives_, [&](const NearOperation* receive) {
          return receive->tag == arrival.tag;
        });
    if (posted == receives_.end()) {
      arrival.kept.resize(arrival.length);
    } else {
      join(arrival, **posted);
      receives_.erase(posted);
    }
    return true;
  }

  void join(Arrival& arrival, NearOperation& receive) {
    if (!fits(arrival.length, receive.length, receive.may_be_shorter)) {
      fail(receive, fmt::format("{} bytes have come", arrival.length));
    }
    arrival.receive = &receive;
  }

  [[noreturn]] void fail(
      const NearOperation& operation,
      const std::string& cause) {
    const auto message = fmt::format("{}: {}", describe(operation), cause);
    failure_.remember(message);
    close();
    throw TransportError(message);
  }

  [[noreturn]] void time_out(const NearOperation& operation) {
    const auto message = "timed out " + describe(operation);
    failure_.remember(message);
    close();
    throw TimeoutError(message);
  }

  std::string describe(const NearOperation& operation) const {
    return net::describe(
        operation.direction,
        static_cast<int64_t>(operation.length),
        workers_[1 - rank()]);
  }

  void close() {
    side_.is_closed = 1;
    peer_side_.bell.ring();
  }

  // Not used any more, but what it last sent may still be on its way.
  std::unique_ptr<Transport> far_;
  std::vector<int> workers_;
  std::unique_ptr<SharedMemory> mine_;
  std::unique_ptr<SharedMemory> theirs_;
  Side& side_;
  Side& peer_side_;
  ByteRing outgoing_;
  ByteRing incoming_;

  SlotTable<NearOperation> slots_;
  std::deque<NearOperation*> sends_;    // not all in the ring
  std::deque<NearOperation*> receives_; // whose message has not begun to come
  std::deque<Arrival> arrivals_;
  bool is_arriving_ = false; // the last of them
  Clock::time_point look_at_;
  Failure failure_;
  std::atomic<bool> interrupted_ = false;
};

// What the two sides tell each other first.
struct Offer {
  std::array<char, 256> domain{};
  MemoryName memory;
  uint64_t token = 0;
};

template <typename Item>
Item swap_items(Transport& far, const Item& mine, Tag tag, Deadline deadline) {
  const int peer = 1 - far.rank();
  Item theirs{};
  const Request received =
      far.recv(std::as_writable_bytes(std::span(&theirs, 1)), peer, tag);
  const Request sent = far.send(std::as_bytes(std::span(&mine, 1)), peer, tag);
  far.wait(received, deadline);
  far.wait(sent, deadline);
  return theirs;
}

std::unique_ptr<SharedMemory> make_memory(uint64_t token) {
  try {
    auto memory = SharedMemory::create(kRingAt + kRingBytes);
    side_in(*memory).token = token;
    return memory;
  } catch (const std::bad_alloc&) {
    return nullptr; // then this worker is near to nobody
  }
}

std::unique_ptr<SharedMemory> open_memory(
    const Offer& mine,
    const Offer& theirs) {
  const bool is_same = mine.domain[0] != 0 && mine.domain == theirs.domain;
  if (!is_same || theirs.memory.file < 0) return nullptr;
  auto memory = SharedMemory::open(theirs.memory);
  const bool is_theirs = memory && side_in(*memory).token == theirs.token;
  return is_theirs ? std::move(memory) : nullptr;
}

uint64_t draw_token() {
  std::random_device chance;
  return uint64_t{chance()} << 32 | chance();
}

std::unique_ptr<Transport> move_pair_near(
    std::unique_ptr<Transport> far,
    const std::vector<int>& workers,
    Deadline deadline) {
  Offer offer{.token = draw_token()};
  far->memory_domain().copy(offer.domain.data(), offer.domain.size());
  auto mine = make_memory(offer.token);
  if (mine != nullptr) offer.memory = mine->name();
  const Offer theirs = swap_items(*far, offer, kNameTag, deadline);
  auto opened = mine ? open_memory(offer, theirs) : nullptr;
  const bool is_open = opened != nullptr;
  bool is_near = false;
  try {
    is_near = swap_items(*far, is_open, kOpenedTag, deadline);
  } catch (const TransportError&) {
    // The peer may have had its answer, and wait for this worker.
    if (mine != nullptr) side_in(*mine).is_closed = 1;
    throw;
  }
  if (!is_open || !is_near) return far;
  mine->close_name();
  return std::make_unique<NearTransport>(
      std::move(far),
      workers,
      std::move(mine),
      std::move(opened));
}

} // namespace

Wrap move_near() {
  return {
      .apply = [](std::unique_ptr<Transport> far,
                  const GroupSpec& group,
                  Deadline deadline) {
        if (group.workers.size() != 2) return far;
        return move_pair_near(
            std::move(far),
            group.workers,
            Deadline::after(std::min<std::chrono::duration<double>>(
                deadline.remaining(),
                kLongestTalk)));
      }};
}

} // namespace grapevine::net
