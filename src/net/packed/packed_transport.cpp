#include "net/packed/packed_transport.h"

#include "base/check.h"
#include "net/failure.h"
#include "net/pieces.h"
#include "net/slot_table.h"
#include "tensor/kernels/packed_floats.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace grapevine::net {
namespace {

using Length = uint32_t; // of what follows it

constexpr size_t kPieceBytes = size_t{1} << 20;

bool is_packed(size_t bytes) {
  return bytes >= kLeastPacked && bytes % sizeof(float) == 0;
}

size_t room_for(size_t bytes) {
  return sizeof(Length) + tensor::packed_bound(bytes / sizeof(float));
}

// Returns the packed piece, at the front of `room`.
std::span<const std::byte> pack_piece(
    std::span<const std::byte> bytes,
    std::span<std::byte> room) {
  const auto packed = static_cast<Length>(
      tensor::pack_floats(bytes, room.subspan(sizeof(Length))));
  std::memcpy(room.data(), &packed, sizeof(packed));
  return room.first(sizeof(Length) + packed);
}

// False where that is no packed piece of so many bytes.
bool unpack_piece(std::span<const std::byte> room, std::span<std::byte> bytes) {
  Length packed = 0;
  std::memcpy(&packed, room.data(), sizeof(packed));
  const auto body = room.subspan(sizeof(Length));
  return packed <= body.size() &&
         tensor::unpack_floats(body.first(packed), bytes);
}

using Room = std::unique_ptr<std::byte[]>;

// Rooms of a piece each. Keeps as many as are usually in flight.
class Rooms {
 public:
  static constexpr size_t kBytes = kMostRoom;

  Room take() {
    if (free_.empty())
      return std::make_unique_for_overwrite<std::byte[]>(kBytes);
    Room room = std::move(free_.back());
    free_.pop_back();
    return room;
  }
  void give_back(Room room) {
    if (free_.size() < kKept) free_.push_back(std::move(room));
  }

 private:
  static constexpr size_t kKept = 32;
  std::vector<Room> free_;
};

struct PackedPiece {
  Request inner;
  bool is_done = false;
  Room room;                  // none: it goes as it is
  std::span<std::byte> bytes; // of a receive: to unpack to
};

struct PackedOperation {
  Direction direction = Direction::kSend;
  size_t length = 0;
  int peer = -1;
  std::vector<PackedPiece> pieces; // keeps its capacity
};

class PackedTransport : public Transport {
 public:
  PackedTransport(std::unique_ptr<Transport> inner, std::vector<int> workers)
      : inner_(std::move(inner)),
        rank_(inner_->rank()),
        size_(inner_->size()),
        name_(inner_->name()),
        place_(inner_->local_place()),
        memory_domain_(inner_->memory_domain()),
        workers_(std::move(workers)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return name_; }
  std::optional<LocalPlace> local_place() const override { return place_; }
  std::string memory_domain() const override { return memory_domain_; }

  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    const auto post_piece = [&](size_t offset, size_t length, Room room) {
      auto wire = bytes.subspan(offset, length);
      if (room) wire = pack_piece(wire, {room.get(), Rooms::kBytes});
      return PackedPiece{
          .inner = inner_->send(wire, peer, tag),
          .room = std::move(room)};
    };
    return post(Direction::kSend, bytes.size(), peer, tag, post_piece);
  }

  Request recv(std::span<std::byte> bytes, int peer, Tag tag) override {
    const auto post_piece = [&](size_t offset, size_t length, Room room) {
      const auto piece = bytes.subspan(offset, length);
      const std::span wire(room.get(), room_for(length));
      return PackedPiece{
          .inner = room ? inner_->recv_at_most(wire, peer, tag)
                        : inner_->recv(piece, peer, tag),
          .room = std::move(room),
          .bytes = piece};
    };
    return post(Direction::kRecv, bytes.size(), peer, tag, post_piece);
  }

  Request recv_at_most(std::span<std::byte>, int, Tag) override {
    throw CheckFailure("what was packed has the length of its receive");
  }

  bool test(Request request) override {
    return advance(request, [this](Request inner) {
      return inner_->test(inner);
    });
  }

  void wait(Request request, Deadline deadline) override {
    advance(request, [&](Request inner) {
      inner_->wait(inner, deadline);
      return true;
    });
  }

  bool progress() override { return inner_ != nullptr && inner_->progress(); }

  void interrupt() override {
    const std::lock_guard lock(inner_mutex_);
    if (inner_ != nullptr) inner_->interrupt();
  }

 private:
  // post_piece(offset, length, room) for every piece.
  template <typename PostPiece>
  Request post(
      Direction direction,
      size_t bytes,
      int peer,
      Tag tag,
      const PostPiece& post_piece) {
    failure_.throw_if_happened();
    check_operation(rank_, size_, peer, tag);
    const Request request = slots_.take();
    PackedOperation& operation = slots_.at(request);
    operation.direction = direction;
    operation.length = bytes;
    operation.peer = peer;
    operation.pieces.clear();
    failure_.guard([&] {
      if (!is_packed(bytes)) {
        operation.pieces.push_back(post_piece(0, bytes, nullptr));
        return;
      }
      for_each_piece(bytes, kPieceBytes, [&](size_t offset, size_t length) {
        operation.pieces.push_back(post_piece(offset, length, rooms_.take()));
      });
    });
    return request;
  }

  // Asks for every piece that is not done whether it is now. True, and the
  // request is spent, once all are.
  template <typename IsDone>
  bool advance(Request request, const IsDone& is_done) {
    failure_.throw_if_happened();
    PackedOperation& operation = slots_.at(request);
    bool all = true;
    for (PackedPiece& piece : operation.pieces) {
      if (piece.is_done) continue;
      failure_.guard([&] { piece.is_done = is_done(piece.inner); });
      if (piece.is_done) {
        finish(operation, piece);
      } else {
        all = false;
      }
    }
    if (all) slots_.give_back(request);
    return all;
  }

  void finish(const PackedOperation& operation, PackedPiece& piece) {
    if (!piece.room) return;
    const std::span wire(piece.room.get(), room_for(piece.bytes.size()));
    if (operation.direction == Direction::kRecv &&
        !unpack_piece(wire, piece.bytes)) {
      fail(operation);
    }
    rooms_.give_back(std::move(piece.room));
  }

  [[noreturn]] void fail(const PackedOperation& operation) {
    const auto message = fmt::format(
        "{}: what came is not packed as this worker packs; do all of them "
        "pack?",
        describe(
            operation.direction,
            static_cast<int64_t>(operation.length),
            workers_[operation.peer]));
    failure_.remember(message);
    const std::lock_guard lock(inner_mutex_);
    inner_.reset(); // so that the peers know, and no byte is touched any more
    throw TransportError(message);
  }

  Rooms rooms_;
  SlotTable<PackedOperation> slots_;
  Failure failure_;
  std::mutex inner_mutex_;           // between its end and an interruption
  std::unique_ptr<Transport> inner_; // behind the rooms, which it uses
  int rank_;
  int size_;
  std::string name_;
  std::optional<LocalPlace> place_;
  std::string memory_domain_;
  std::vector<int> workers_; // what errors call the ranks
};

} // namespace

Wrap pack_messages() {
  return {
      .apply = [](std::unique_ptr<Transport> inner,
                  const GroupSpec& group,
                  Deadline) -> std::unique_ptr<Transport> {
        return std::make_unique<PackedTransport>(
            std::move(inner),
            group.workers);
      }};
}

} // namespace grapevine::net
