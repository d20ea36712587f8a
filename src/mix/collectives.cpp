#include "mix/collectives.h"

#include "base/check.h"
#include "mix/bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace grapevine::mix {
namespace {

std::span<std::byte> bytes_of(std::string& text) {
  return std::as_writable_bytes(std::span(text.data(), text.size()));
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <typename T>
std::span<std::byte> bytes_of(T& number) {
  return std::as_writable_bytes(std::span(&number, 1));
}

void wait_all(Link& link, std::vector<Ticket>& tickets) {
  for (Ticket& ticket : tickets)
    link.wait(ticket);
}

// Pieces of an exchange that are in flight at once, each way.
constexpr int64_t kExchangeWindow = 8;
// Nothing is computed meanwhile, so pieces need not be as fine as a mixing's
// chunks; waking up for each costs more than it gives (measured over Gloo).
constexpr int64_t kExchangePieceFloats = int64_t{1} << 23;

// One direction of an exchange: pieces are posted and waited for in order.
template <typename Float, typename Post>
class Stream {
 public:
  Stream(std::span<Float> data, int64_t piece, Post post)
      : data_(data),
        piece_(piece),
        post_(std::move(post)) {}

  int64_t pieces() const {
    return (static_cast<int64_t>(data_.size()) + piece_ - 1) / piece_;
  }
  // The place of piece i in the window must be free.
  void post(int64_t i) {
    if (i >= pieces()) return;
    const auto begin = static_cast<size_t>(i * piece_);
    const size_t size =
        std::min(static_cast<size_t>(piece_), data_.size() - begin);
    tickets_[i % kExchangeWindow] = post_(data_.subspan(begin, size));
  }
  void wait(Link& link, int64_t i) {
    if (i < pieces()) link.wait(tickets_[i % kExchangeWindow]);
  }

 private:
  std::span<Float> data_;
  int64_t piece_;
  Post post_;
  std::array<Ticket, kExchangeWindow> tickets_;
};

Rows to_rows(const std::vector<std::string>& texts) {
  Rows rows;
  for (const std::string& text : texts)
    rows.push_back(from_bytes<double>(text));
  return rows;
}

// More than anything that workers tell each other this way.
constexpr uint64_t kMostBytes = uint64_t{1} << 32;

std::string text_of(uint64_t length) {
  if (length > kMostBytes) {
    throw TransportError("a worker announces a text of absurd length");
  }
  return std::string(length, '\0');
}

bool hear_any(Link& link, bool mine) {
  const int n = link.size();
  uint8_t known = mine ? 1 : 0;
  for (int step = 1; step < n; step *= 2) {
    const int to = (link.rank() + step) % n;
    const int from = (link.rank() + n - step) % n;
    uint8_t theirs = 0;
    uint8_t outgoing = known;
    Ticket in = link.recv(bytes_of(theirs), from, kAnyTag);
    Ticket out = link.send(bytes_of(outgoing), to, kAnyTag);
    link.wait(in);
    link.wait(out);
    known |= theirs;
  }
  return known != 0;
}

void pass_down(Link& link, std::span<std::byte> bytes, int root) {
  const int n = link.size();
  // Ranks counted from the root. Worker v receives from v without its lowest
  // bit and passes on to v + 2^j for all 2^j below that bit.
  const int v = (link.rank() - root + n) % n;
  const auto rank_of = [&](int w) { return (w + root) % n; };
  int bit = 1;
  while (bit < n && (v & bit) == 0)
    bit *= 2;
  if (v != 0) {
    Ticket in = link.recv(bytes, rank_of(v - bit), kBroadcastTag);
    link.wait(in);
  }
  std::vector<Ticket> out;
  for (int j = bit / 2; j >= 1; j /= 2) {
    if (v + j < n)
      out.push_back(link.send(bytes, rank_of(v + j), kBroadcastTag));
  }
  wait_all(link, out);
}

std::string pass_down(Link& link, std::string text, int root) {
  uint64_t length = text.size();
  pass_down(link, bytes_of(length), root);
  if (link.rank() != root) text = text_of(length);
  pass_down(link, bytes_of(text), root);
  return text;
}

// Returns how many messages this worker has sent.
int64_t add_up(Link& link, std::span<double> values) {
  const int n = link.size();
  const int rank = link.rank();
  int64_t sent = 0;
  std::vector<double> theirs(values.size());
  int bit = 1;
  for (; bit < n && (rank & bit) == 0; bit *= 2) {
    if (rank + bit >= n) continue;
    const auto place = std::as_writable_bytes(std::span(theirs));
    Ticket in = link.recv(place, rank + bit, kSumTag);
    link.wait(in);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += theirs[i];
    ++sent; // the way back
  }
  if (rank != 0) {
    Ticket out = link.send(std::as_bytes(values), rank - bit, kSumTag);
    link.wait(out);
    ++sent;
  }
  pass_down(link, std::as_writable_bytes(values), 0);
  return sent;
}

std::vector<std::string>
collect(Link& link, const std::string& mine, int root) {
  const int n = link.size();
  if (link.rank() != root) {
    uint64_t length = mine.size();
    Ticket first = link.send(bytes_of(length), root, kLengthTag);
    Ticket second = link.send(bytes_of(mine), root, kGatherTag);
    link.wait(first);
    link.wait(second);
    return {};
  }
  std::vector<uint64_t> lengths(n, 0);
  std::vector<std::string> texts(n);
  std::vector<Ticket> tickets(n);
  for (int peer = 0; peer < n; ++peer) {
    if (peer == root) continue;
    tickets[peer] = link.recv(bytes_of(lengths[peer]), peer, kLengthTag);
  }
  wait_all(link, tickets);
  texts[root] = mine;
  for (int peer = 0; peer < n; ++peer) {
    if (peer == root) continue;
    texts[peer] = text_of(lengths[peer]);
    tickets[peer] = link.recv(bytes_of(texts[peer]), peer, kGatherTag);
  }
  wait_all(link, tickets);
  return texts;
}

} // namespace

bool any(Link& link, bool mine) {
  return link.run("any", [&] { return hear_any(link, mine); });
}

void barrier(Link& link) {
  link.run("barrier", [&] { hear_any(link, false); });
}

void broadcast(Link& link, std::span<std::byte> bytes, int root) {
  link.run("broadcast", [&] { pass_down(link, bytes, root); });
}

std::string broadcast(Link& link, std::string text, int root) {
  return link.run("broadcast", [&] {
    return pass_down(link, std::move(text), root);
  });
}

Traffic sum(Link& link, std::span<double> values) {
  const int64_t sent = link.run("sum", [&] { return add_up(link, values); });
  return {sent, sent * static_cast<int64_t>(values.size_bytes())};
}

void tree_sum(Rows& rows) {
  for (size_t bit = 1; bit < rows.size(); bit *= 2) {
    for (size_t at = 0; at + bit < rows.size(); at += 2 * bit) {
      for (size_t i = 0; i < rows[at].size(); ++i)
        rows[at][i] += rows[at + bit][i];
    }
  }
}

std::vector<std::string> gather(Link& link, const std::string& mine, int root) {
  return link.run("gather", [&] { return collect(link, mine, root); });
}

Rows gather(Link& link, std::span<const double> mine, int root) {
  return to_rows(gather(link, to_bytes(mine), root));
}

std::vector<std::string> all_gather(Link& link, const std::string& mine) {
  return link.run("all-gather", [&] {
    std::string packed;
    for (const std::string& text : collect(link, mine, 0))
      append(packed, text);
    packed = pass_down(link, std::move(packed), 0);
    std::vector<std::string> texts;
    for (ByteReader reader(packed); !reader.is_done();)
      texts.push_back(reader.text());
    return texts;
  });
}

Rows all_gather(Link& link, std::span<const double> mine) {
  return to_rows(all_gather(link, to_bytes(mine)));
}

Traffic exchange(
    Link& link,
    int peer,
    std::span<const float> outgoing,
    std::span<float> incoming) {
  GV_CHECK(peer >= 0 && peer < link.size() && peer != link.rank());
  return link.run("exchange", [&]() -> Traffic {
    Stream in(incoming, kExchangePieceFloats, [&](std::span<float> part) {
      return link.recv(std::as_writable_bytes(part), peer, kExchangeTag);
    });
    Stream out(
        outgoing,
        kExchangePieceFloats,
        [&](std::span<const float> part) {
          return link.send(std::as_bytes(part), peer, kExchangeTag);
        });
    for (int64_t i = 0; i < kExchangeWindow; ++i) {
      in.post(i);
      out.post(i);
    }
    const int64_t pieces = std::max(in.pieces(), out.pieces());
    for (int64_t i = 0; i < pieces; ++i) {
      in.wait(link, i);
      in.post(i + kExchangeWindow);
      out.wait(link, i);
      out.post(i + kExchangeWindow);
    }
    return {
        outgoing.empty() ? 0 : 1,
        static_cast<int64_t>(outgoing.size_bytes())};
  });
}

} // namespace grapevine::mix
