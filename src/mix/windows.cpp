#include "mix/windows.h"

#include "base/check.h"
#include "mix/bytes.h"
#include "mix/collectives.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace grapevine::mix {
namespace {

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

// The beginning of a worker's shared memory, whose bell is rung after every
// change there; zero at first. After it come the outboxes, each at the
// beginning of a page.
struct Windows::Header {
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
      floats_((floats * 4 + kPage - 1) / kPage * kPage / 4) {
  if (link_.size() == 1) return;
  peers_ = std::make_unique<net::SharedPeers>(
      link_.rank(),
      link_.transport().memory_domain(),
      static_cast<size_t>(Header::bytes(link_.size()) + 2 * floats_ * 4),
      [&](const std::string& mine) { return all_gather(link_, mine); });
}

Windows::Header& Windows::header(int rank) const {
  return *reinterpret_cast<Header*>(peers_->memory(rank).data());
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

float* Windows::outbox(int rank, int64_t exchange) const {
  std::byte* memory = peers_->memory(rank).data();
  return reinterpret_cast<float*>(memory + Header::bytes(link_.size())) +
         exchange % 2 * floats_;
}

const float* Windows::outbox_of(int peer, int64_t exchange) const {
  return outbox(peer, exchange);
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
  float* const mine = outbox(link_.rank(), exchange_);
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
  header(link_.rank()).published = mark(exchange_, c + 1);
  peers_->bell(link_.rank()).ring();
}

void Windows::await_readers(const Fill& fill, int64_t chunks, int64_t bytes) {
  Header& mine = header(link_.rank());
  for (const int reader : fill.readers) {
    await(reader, peers_->bell(link_.rank()), true, bytes, [&] {
      return mine.consumed_by(reader) >= mark(fill.exchange, chunks) ||
             peers_->has_closed(reader);
    });
  }
}

bool Windows::is_published(int peer, int64_t exchange, int64_t c) const {
  return header(peer).published >= mark(exchange, c + 1);
}

void Windows::await(int peer, int64_t exchange, int64_t c, int64_t bytes) {
  await(peer, peers_->bell(peer), false, bytes, [&] {
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
    const std::string departure = peers_->departure(peer);
    if (ready()) return true;
    if (!departure.empty()) throw TransportError(departure);
    for (int i = 0; i < kYields; ++i) {
      if (ready()) return true;
      std::this_thread::yield();
    }
    bell.wait(heard, net::SharedPeers::kLook);
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
  header(peer).consumed_by(link_.rank()) = mark(exchange, chunks);
  peers_->bell(peer).ring();
}

} // namespace grapevine::mix
