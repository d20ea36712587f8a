#include "mix/windows.h"

#include "base/check.h"
#include "mix/bytes.h"
#include "mix/collectives.h"

#include <algorithm>
#include <new>
#include <thread>

namespace grapevine::mix {
namespace {

// How often a wait looks whether the peer is still alive.
constexpr std::chrono::milliseconds kLook{50};
// How often a wait offers its core to others before it sleeps, some tenths of a
// millisecond where nobody wants it: a core with nothing to do is slow to wake
// up, which costs a ring of busy workers a few percent of its steps.
constexpr int kYields = 1000;
constexpr int64_t kPage = 4096;

// How far an exchange has come; what is later compares greater.
uint64_t mark(int64_t exchange, int64_t chunks) {
  return static_cast<uint64_t>(exchange) << 32 | static_cast<uint64_t>(chunks);
}

} // namespace

// The beginning of a worker's shared memory; zero at first. Behind it are the
// outboxes, each at a page's beginning.
struct Windows::Header {
  Bell bell; // rung after every change here
  std::atomic<uint32_t> is_closed;
  alignas(64) std::atomic<uint64_t> published; // a mark

  // What worker `reader` has consumed, as a mark; one line of cache each.
  std::atomic<uint64_t>& consumed_by(int reader) {
    auto* lines = reinterpret_cast<std::byte*>(this) + sizeof(Header);
    return *reinterpret_cast<std::atomic<uint64_t>*>(lines + 64 * reader);
  }
  static int64_t bytes(int n) {
    const int64_t all = static_cast<int64_t>(sizeof(Header)) + int64_t{64} * n;
    return (all + kPage - 1) / kPage * kPage;
  }
};

Windows::Windows(Link& link, int64_t floats)
    : link_(link),
      floats_((floats * 4 + kPage - 1) / kPage * kPage / 4),
      peers_(link.size()) {
  if (link_.size() > 1) meet();
}

Windows::~Windows() {
  if (header_ == nullptr) return;
  header_->is_closed = 1;
  header_->bell.ring();
}

void Windows::meet() {
  const int me = link_.rank();
  const auto domains = all_gather(link_, link_.transport().memory_domain());
  const bool alone =
      domains[me].empty() || std::ranges::count(domains, domains[me]) == 1;
  MemoryName name;
  if (!alone) {
    try {
      mine_ = SharedMemory::create(bytes());
      name = mine_->name();
    } catch (const std::bad_alloc&) {
      // Then this worker is near to nobody.
    }
  }
  auto names =
      all_gather(link_, to_bytes(std::span<const MemoryName>(&name, 1)));
  for (int peer = 0; peer < link_.size(); ++peer) {
    if (domains[peer] != domains[me]) names[peer].clear();
  }
  const auto opened = all_gather(
      link_,
      to_bytes(std::span<const int64_t>(open_memories(names))));
  for (int peer = 0; peer < link_.size(); ++peer) {
    ByteReader reader(opened[peer]);
    reader.take(sizeof(int64_t) * me);
    if (reader.read<int64_t>() == 0) peers_[peer] = {};
  }
  if (mine_) {
    header_ = reinterpret_cast<Header*>(mine_->bytes().data());
    mine_->close_name();
  }
}

// Returns for each worker whether its memory could be opened.
std::vector<int64_t> Windows::open_memories(
    const std::vector<std::string>& names) {
  std::vector<int64_t> opened(names.size(), 0);
  for (size_t peer = 0; peer < names.size(); ++peer) {
    if (!mine_ || names[peer].empty() ||
        static_cast<int>(peer) == link_.rank()) {
      continue;
    }
    const auto name = ByteReader(names[peer]).read<MemoryName>();
    if (name.file < 0) continue;
    auto memory = SharedMemory::open(name);
    // Another size is that of other planes.
    if (memory == nullptr || memory->bytes().size() != bytes()) continue;
    opened[peer] = 1;
    auto* header = reinterpret_cast<Header*>(memory->bytes().data());
    peers_[peer] = {std::move(memory), header};
  }
  return opened;
}

size_t Windows::bytes() const {
  return static_cast<size_t>(Header::bytes(link_.size()) + 2 * floats_ * 4);
}

int Windows::near_workers() const {
  return 1 +
         static_cast<int>(std::ranges::count_if(peers_, [](const Peer& peer) {
           return peer.header != nullptr;
         }));
}

int64_t Windows::begin(uint64_t cut, int64_t chunks) {
  const bool recut = cut != cut_;
  const int64_t old_chunks = chunks_;
  ++exchange_;
  cut_ = cut;
  chunks_ = chunks;
  std::swap(lent_by_, lending_);
  lending_.clear();
  if (recut) {
    for (const int peer : lent_by_)
      mark_consumed(peer, exchange_ - 1, old_chunks);
    lent_by_.clear();
  }
  return exchange_;
}

float* Windows::outbox(Header* header, int64_t exchange) const {
  auto* memory = reinterpret_cast<std::byte*>(header);
  return reinterpret_cast<float*>(memory + Header::bytes(link_.size())) +
         exchange % 2 * floats_;
}

const float* Windows::outbox_of(int peer, int64_t exchange) const {
  return outbox(peer == link_.rank() ? header_ : peers_[peer].header, exchange);
}

float* Windows::claim(int64_t c, std::span<const int> readers, int64_t bytes) {
  Outbox& place = outboxes_[exchange_ % 2];
  if (place.now.exchange != exchange_) {
    std::swap(place.last, place.now);
    place.now.exchange = exchange_;
    place.now.cut = cut_;
    place.now.chunks = chunks_;
    place.now.readers.assign(readers.begin(), readers.end());
  }
  float* const mine = outbox(header_, exchange_);
  if (place.last.cut == cut_) {
    await_readers(place.last, c + 1, bytes);
  } else if (c == 0) {
    // In another cut, chunk c of old lies anywhere, and so do the gaps, which
    // a writer may leave out.
    await_readers(place.last, place.last.chunks, bytes);
    std::fill_n(mine, floats_, 0.0F);
  }
  return mine;
}

void Windows::publish(int64_t c) {
  header_->published = mark(exchange_, c + 1);
  header_->bell.ring();
}

void Windows::await_readers(const Fill& fill, int64_t chunks, int64_t bytes) {
  for (const int reader : fill.readers) {
    await(reader, header_->bell, true, bytes, [&] {
      return header_->consumed_by(reader) >= mark(fill.exchange, chunks) ||
             peers_[reader].header->is_closed != 0;
    });
  }
}

bool Windows::is_published(int peer, int64_t exchange, int64_t c) const {
  return peers_[peer].header->published >= mark(exchange, c + 1);
}

void Windows::await(int peer, int64_t exchange, int64_t c, int64_t bytes) {
  await(peer, peers_[peer].header->bell, false, bytes, [&] {
    return is_published(peer, exchange, c);
  });
}

// The bell rings when ready() may have changed its mind.
template <typename Ready>
void Windows::await(
    int peer,
    Bell& bell,
    bool is_send,
    int64_t bytes,
    const Ready& ready) {
  if (ready()) return;
  link_.await(peer, bytes, is_send, [&] {
    const uint32_t heard = bell.listen();
    // In this order: what a peer has done before it left counts.
    const bool has_left = peers_[peer].header->is_closed != 0;
    const bool is_gone = peers_[peer].memory->maker_is_gone();
    if (ready()) return true;
    if (has_left) throw TransportError("it has left");
    if (is_gone) throw TransportError("its process has ended");
    for (int i = 0; i < kYields; ++i) {
      if (ready()) return true;
      std::this_thread::yield();
    }
    bell.wait(heard, kLook);
    return false;
  });
}

void Windows::lend(std::span<const int> peers) {
  lending_.assign(peers.begin(), peers.end());
}

void Windows::give_back(int64_t c) {
  for (const int peer : lent_by_)
    consumed(peer, exchange_ - 1, c);
  if (c + 1 == chunks_) lent_by_.clear();
}

void Windows::consumed(int peer, int64_t exchange, int64_t c) {
  mark_consumed(peer, exchange, c + 1);
}

void Windows::mark_consumed(int peer, int64_t exchange, int64_t chunks) {
  Header& header = *peers_[peer].header;
  header.consumed_by(link_.rank()) = mark(exchange, chunks);
  header.bell.ring();
}

} // namespace grapevine::mix
