#include "net/slot_transport.h"
#include "net/wraps.h"
#include "tensor/kernels/packed_floats.h"

#include <cstring>

namespace grapevine::net {
namespace {

using Length = uint32_t; // of what follows it

constexpr size_t kPackedPieceBytes = size_t{1} << 20;

bool is_packed(size_t bytes) {
  return bytes >= kLeastPacked && bytes % sizeof(float) == 0;
}

size_t room_for(size_t bytes) {
  return sizeof(Length) + tensor::packed_bound(bytes / sizeof(float));
}

// Returns the packed piece, at the front of `room`.
std::span<std::byte> pack_piece(
    std::span<const std::byte> bytes,
    std::span<std::byte> room) {
  const auto packed = static_cast<Length>(
      tensor::pack_floats(bytes, room.subspan(sizeof(Length))));
  std::memcpy(room.data(), &packed, sizeof(packed));
  return room.first(sizeof(Length) + packed);
}

// Returns false if that is no packed piece of so many bytes.
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
  Message message;
  std::vector<PackedPiece> pieces; // keeps its capacity
};

class PackedTransport
    : public SlotTransport<PackedOperation, WrappedTransport> {
 public:
  PackedTransport(std::unique_ptr<Transport> inner, std::vector<int> workers)
      : SlotTransport(std::move(workers), std::move(inner)) {}
  // Before the rooms, which the wrapped transport uses.
  ~PackedTransport() override { close_inner(); }

  void interrupt() override { interrupt_inner(); }

 private:
  void begin(PackedOperation& operation) override {
    const Message& message = operation.message;
    if (message.may_be_shorter) {
      throw CheckFailure("a packed message has the length of its receive");
    }
    operation.pieces.clear();
    if (!is_packed(message.bytes.size())) {
      operation.pieces.push_back({.inner = inner().post(message)});
      return;
    }
    for_each_piece(
        message.bytes.size(),
        kPackedPieceBytes,
        [&](size_t offset, size_t length) {
          operation.pieces.push_back(
              begin_piece(message, message.bytes.subspan(offset, length)));
        });
  }

  PackedPiece begin_piece(Message message, std::span<std::byte> bytes) {
    Room room = rooms_.take();
    const std::span wire(room.get(), Rooms::kBytes);
    message.bytes = message.is_send ? pack_piece(bytes, wire)
                                    : wire.first(room_for(bytes.size()));
    message.may_be_shorter = !message.is_send;
    return {
        .inner = inner().post(message),
        .room = std::move(room),
        .bytes = bytes};
  }

  bool advance(PackedOperation& operation) override {
    return advance_pieces(operation, [this](Request request) {
      return inner().test(request);
    });
  }

  bool complete(PackedOperation& operation, Deadline deadline) override {
    return advance_pieces(operation, [&](Request request) {
      inner().wait(request, deadline);
      return true;
    });
  }

  // Asks for every piece that is not done whether it is now. Returns true once
  // all are.
  template <typename IsDone>
  bool advance_pieces(PackedOperation& operation, const IsDone& is_done) {
    bool all = true;
    for (PackedPiece& piece : operation.pieces) {
      if (piece.is_done) continue;
      piece.is_done = is_done(piece.inner);
      all &= piece.is_done;
      if (piece.is_done && piece.room) finish(operation, piece);
    }
    return all;
  }

  void finish(const PackedOperation& operation, PackedPiece& piece) {
    const std::span wire(piece.room.get(), room_for(piece.bytes.size()));
    if (!operation.message.is_send && !unpack_piece(wire, piece.bytes)) {
      fail(
          operation,
          "the message is not packed as this worker packs; do all of them "
          "pack?");
    }
    rooms_.give_back(std::move(piece.room));
  }

  void close(const std::string& /*why*/) override { close_inner(); }

  Rooms rooms_;
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
