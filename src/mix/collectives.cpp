#include "mix/collectives.h"

#include "base/check.h"
#include "mix/tags.h"

#include <cstdint>
#include <cstring>

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

// Texts one after the other, each with its length before it.
std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) {
    const uint64_t length = text.size();
    packed.append(reinterpret_cast<const char*>(&length), sizeof(length));
    packed += text;
  }
  return packed;
}

std::vector<std::string> unpack(const std::string& packed) {
  std::vector<std::string> texts;
  for (size_t at = 0; at < packed.size();) {
    uint64_t length = 0;
    GV_CHECK_LE(at + sizeof(length), packed.size());
    std::memcpy(&length, packed.data() + at, sizeof(length));
    at += sizeof(length);
    GV_CHECK_LE(length, packed.size() - at);
    texts.push_back(packed.substr(at, length));
    at += length;
  }
  return texts;
}

} // namespace

bool any(Link& link, bool mine) {
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

void broadcast(Link& link, std::span<std::byte> bytes, int root) {
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

std::string broadcast(Link& link, std::string text, int root) {
  uint64_t length = text.size();
  broadcast(link, bytes_of(length), root);
  text.resize(length);
  broadcast(link, bytes_of(text), root);
  return text;
}

int sum(Link& link, std::span<double> values) {
  const int n = link.size();
  const int rank = link.rank();
  int sent = 0;
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
  broadcast(link, std::as_writable_bytes(values), 0);
  return sent;
}

void tree_sum(std::vector<std::vector<double>>& rows) {
  for (size_t bit = 1; bit < rows.size(); bit *= 2) {
    for (size_t at = 0; at + bit < rows.size(); at += 2 * bit) {
      for (size_t i = 0; i < rows[at].size(); ++i)
        rows[at][i] += rows[at + bit][i];
    }
  }
}

std::vector<std::string> gather(Link& link, const std::string& mine, int root) {
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
    texts[peer].resize(lengths[peer]);
    tickets[peer] = link.recv(bytes_of(texts[peer]), peer, kGatherTag);
  }
  wait_all(link, tickets);
  return texts;
}

std::vector<std::string> all_gather(Link& link, const std::string& mine) {
  return unpack(broadcast(link, pack(gather(link, mine, 0)), 0));
}

} // namespace grapevine::mix
