#include "net/shared_peers.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <random>
#include <type_traits>

namespace grapevine::net {
namespace {

using Clock = std::chrono::steady_clock;

// The user's part of the memory begins at the second page.
constexpr size_t kPage = 4096;

// What a worker tells the others of its memory.
struct Offer {
  std::array<char, 256> domain{}; // empty: shares with no other worker
  MemoryName memory;
  uint64_t token = 0; // which the memory holds
};

template <typename Item>
std::string as_text(const Item* items, size_t count) {
  static_assert(std::is_trivially_copyable_v<Item>);
  return {reinterpret_cast<const char*>(items), count * sizeof(Item)};
}

template <typename Item>
std::vector<Item> parse_items(const std::string& text, size_t count) {
  if (text.size() != count * sizeof(Item)) {
    throw TransportError("a worker's offer of shared memory is malformed");
  }
  std::vector<Item> items(count);
  std::memcpy(items.data(), text.data(), text.size());
  return items;
}

uint64_t draw_token() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

} // namespace

struct SharedPeers::Header {
  uint64_t token;
  Bell bell;
  std::atomic<uint32_t> is_closed;
};

SharedPeers::SharedPeers(
    int rank,
    const std::string& domain,
    size_t bytes,
    const AllGather& all_gather)
    : rank_(rank) {
  static_assert(sizeof(Header) <= kPage);
  Offer mine{.token = draw_token()};
  std::unique_ptr<SharedMemory> memory;
  if (!domain.empty()) {
    try {
      memory = SharedMemory::create(kPage + bytes);
      header_of(*memory).token = mine.token;
      mine.memory = memory->name();
      domain.copy(mine.domain.data(), mine.domain.size());
    } catch (const std::bad_alloc&) {
      // Then this worker shares with no other.
    }
  }
  const auto texts = all_gather(as_text(&mine, 1));
  peers_.resize(texts.size());
  std::vector<uint8_t> opened(texts.size(), 0);
  for (size_t peer = 0; peer < texts.size(); ++peer) {
    const Offer theirs = parse_items<Offer>(texts[peer], 1)[0];
    const bool may_open = memory && static_cast<int>(peer) != rank_ &&
                          theirs.domain == mine.domain &&
                          theirs.memory.bytes == mine.memory.bytes;
    if (!may_open) continue;
    peers_[peer].memory = SharedMemory::open(theirs.memory);
    opened[peer] = peers_[peer].memory != nullptr &&
                   header_of(*peers_[peer].memory).token == theirs.token;
  }
  peers_[rank_].memory = std::move(memory);
  agree(opened, all_gather);
  if (count() == 1) peers_[rank_].memory.reset();
  if (peers_[rank_].memory) peers_[rank_].memory->close_name();
}

// Keeps the memory of those peers who have opened this worker's too.
void SharedPeers::agree(
    const std::vector<uint8_t>& opened,
    const AllGather& all_gather) {
  std::vector<std::string> answers;
  try {
    answers = all_gather(as_text(opened.data(), opened.size()));
  } catch (...) {
    // The peers may have had their answers, and wait for this worker.
    close();
    throw;
  }
  for (size_t peer = 0; peer < peers_.size(); ++peer) {
    if (static_cast<int>(peer) == rank_) continue;
    const auto by_peer = parse_items<uint8_t>(answers[peer], peers_.size());
    if (opened[peer] == 0 || by_peer[rank_] == 0) peers_[peer].memory.reset();
  }
}

SharedPeers::~SharedPeers() {
  close();
}

SharedPeers::Header& SharedPeers::header_of(SharedMemory& memory) {
  return *reinterpret_cast<Header*>(memory.bytes().data());
}

bool SharedPeers::is_shared(int peer) const {
  return peer != rank_ && peers_[peer].memory != nullptr;
}

int SharedPeers::count() const {
  int count = 1;
  for (size_t peer = 0; peer < peers_.size(); ++peer)
    count += is_shared(static_cast<int>(peer)) ? 1 : 0;
  return count;
}

std::span<std::byte> SharedPeers::memory(int rank) const {
  return peers_[rank].memory->bytes().subspan(kPage);
}

Bell& SharedPeers::bell(int rank) const {
  return header_of(*peers_[rank].memory).bell;
}

bool SharedPeers::has_closed(int peer) const {
  return header_of(*peers_[peer].memory).is_closed != 0;
}

std::string SharedPeers::departure(int peer) {
  if (has_closed(peer)) return "it has closed the link";
  Peer& found = peers_[peer];
  const auto now = Clock::now();
  if (now < found.next_look) return {};
  found.next_look = now + kLook;
  return found.memory->maker_is_gone() ? "its process has ended" : "";
}

void SharedPeers::close() {
  if (peers_.empty() || peers_[rank_].memory == nullptr) return;
  header_of(*peers_[rank_].memory).is_closed = 1;
  for (const Peer& peer : peers_) {
    if (peer.memory != nullptr) header_of(*peer.memory).bell.ring();
  }
}

} // namespace grapevine::net
