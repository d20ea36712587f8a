// What every transport must do, as one function that each rank runs: in a
// thread for the local transport, in a process for the others. Throws at the
// first wrong byte.
#pragma once

#include "net/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace grapevine::net::testing {

inline constexpr int kRanks[] = {1, 2, 3, 4, 7, 8};
inline constexpr size_t kLengths[] = {0, 1, 7, 1000, (1 << 20) + 1};

using Bytes = std::vector<std::byte>;

// The payload is a function of who sends, to whom, which message and where in
// it, so that a byte out of place is a wrong byte.
inline std::byte pattern(int from, int to, int message, size_t index) {
  uint64_t x = index * 0x9E3779B97F4A7C15ull + from * 1000003ull +
               to * 10007ull + message * 101ull;
  x ^= x >> 29;
  return static_cast<std::byte>(x * 0xBF58476D1CE4E5B9ull >> 56);
}

inline Bytes make_bytes(int from, int to, int message, size_t length) {
  Bytes bytes(length);
  for (size_t i = 0; i < length; ++i) {
    bytes[i] = pattern(from, to, message, i);
  }
  return bytes;
}

inline void expect_bytes(const Bytes& got, int from, int to, int message) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == pattern(from, to, message, i)) continue;
    throw std::runtime_error(fmt::format(
        "byte {} of {} of message {} from {} to {} is wrong",
        i,
        got.size(),
        message,
        from,
        to));
  }
}

// Generous: nothing here is about time.
inline Deadline patience() {
  return Deadline::after(std::chrono::seconds(100));
}

// One message of an exchange: who it goes to or comes from, and which it is.
struct Item {
  int peer;
  Tag tag;
  int message;
};

// Posts all of these, receives and sends in turn, waits for them in that order
// or in reverse, and checks what has come.
inline void exchange(
    Transport& transport,
    size_t length,
    const std::vector<Item>& sends,
    const std::vector<Item>& receives,
    bool in_reverse = false) {
  const int rank = transport.rank();
  std::vector<Bytes> out;
  std::vector<Bytes> in(receives.size(), Bytes(length));
  std::vector<Request> requests;
  for (const auto& [peer, tag, message] : sends)
    out.push_back(make_bytes(rank, peer, message, length));
  for (size_t i = 0; i < sends.size(); ++i) {
    requests.push_back(transport.send(out[i], sends[i].peer, sends[i].tag));
    requests.push_back(
        transport.recv(in[i], receives[i].peer, receives[i].tag));
  }
  if (in_reverse) std::ranges::reverse(requests);
  for (const Request request : requests)
    transport.wait(request, patience());
  for (size_t i = 0; i < in.size(); ++i)
    expect_bytes(in[i], receives[i].peer, rank, receives[i].message);
}

// A few messages around the ring, for tests of who is connected with whom
// rather than of what is moved.
inline void pass_around(Transport& transport) {
  const int rank = transport.rank();
  const int size = transport.size();
  if (size == 1) return;
  for (int message = 0; message < 5; ++message) {
    exchange(
        transport,
        1000,
        {{(rank + 1) % size, message, message}},
        {{(rank + size - 1) % size, message, message}});
  }
}

class Exercise {
 public:
  explicit Exercise(Transport& transport)
      : transport_(transport),
        rank_(transport.rank()),
        size_(transport.size()) {}

  void run(std::span<const size_t> lengths = kLengths) {
    if (size_ == 1) return;
    for (const size_t length : lengths) {
      ring(length);
      all_pairs(length);
      many_tags(length);
      order_of_equal_tags(length);
      poll(length);
    }
    for (int repeat = 0; repeat < 20; ++repeat) {
      ring(1000);
    }
  }

  // What transports that pack do not have.
  void run_at_most() {
    if (size_ == 1) return;
    for (const size_t room : {size_t{1000}, kMostRoom})
      at_most(room);
  }

 private:
  int next() const { return (rank_ + 1) % size_; }
  int previous() const { return (rank_ + size_ - 1) % size_; }

  void ring(size_t length) {
    exchange(transport_, length, {{next(), 0, 0}}, {{previous(), 0, 0}});
  }

  void all_pairs(size_t length) {
    std::vector<Item> items;
    for (int peer = 0; peer < size_; ++peer) {
      if (peer != rank_) items.push_back({peer, 5, 1});
    }
    exchange(transport_, length, items, items);
  }

  // Messages of all lengths up to that of the room, which keeps its end.
  void at_most(size_t room) {
    const std::vector<size_t> lengths = {room, 0, 1, room - 1, room / 2};
    std::vector<Bytes> out;
    std::vector<Bytes> in(lengths.size(), make_bytes(rank_, rank_, 99, room));
    std::vector<Request> requests;
    for (size_t i = 0; i < lengths.size(); ++i) {
      out.push_back(make_bytes(rank_, next(), static_cast<int>(i), lengths[i]));
    }
    // Both orders: what comes may be there before its receive.
    const auto receive = [&] {
      for (Bytes& bytes : in)
        requests.push_back(transport_.recv_at_most(bytes, previous(), 3));
    };
    if (rank_ % 2 == 0) receive();
    for (const Bytes& bytes : out)
      requests.push_back(transport_.send(bytes, next(), 3));
    if (rank_ % 2 != 0) receive();
    for (const Request request : requests)
      transport_.wait(request, patience());
    const Bytes untouched = make_bytes(rank_, rank_, 99, room);
    for (size_t i = 0; i < lengths.size(); ++i) {
      const auto length = static_cast<std::ptrdiff_t>(lengths[i]);
      if (!std::equal(
              in[i].begin() + length,
              in[i].end(),
              untouched.begin() + length)) {
        throw std::runtime_error("the room behind a message was written to");
      }
      in[i].resize(lengths[i]);
      expect_bytes(in[i], previous(), rank_, static_cast<int>(i));
    }
  }

  // Received in another order than sent.
  void many_tags(size_t length) {
    const Tag tags[] = {0, 1, 77, kMaxTag};
    std::vector<Item> sends;
    std::vector<Item> receives;
    for (int i = 0; i < 4; ++i) {
      sends.push_back({next(), tags[i], i});
      receives.push_back({previous(), tags[3 - i], 3 - i});
    }
    exchange(transport_, length, sends, receives);
  }

  // Waited for in reverse.
  void order_of_equal_tags(size_t length) {
    std::vector<Item> sends;
    std::vector<Item> receives;
    for (int i = 0; i < 5; ++i) {
      sends.push_back({next(), 9, i});
      receives.push_back({previous(), 9, i});
    }
    exchange(transport_, length, sends, receives, /*in_reverse=*/true);
  }

  // By test alone, and the later operation first: what it needs must come
  // although an earlier one cannot complete yet. Then test followed by wait.
  void poll(size_t length) {
    const Bytes first_out = make_bytes(rank_, next(), 1, length);
    const Bytes second_out = make_bytes(rank_, next(), 2, length);
    Bytes first_in(length);
    Bytes second_in(length);
    const Request first = transport_.recv(first_in, previous(), 11);
    const Request second = transport_.recv(second_in, previous(), 12);
    const Request sent = transport_.send(second_out, next(), 12);
    const bool early = transport_.test(first);
    poll_until_done(second);
    const Request answer = transport_.send(first_out, next(), 11);
    if (!early) transport_.wait(first, patience());
    transport_.wait(sent, patience());
    poll_until_done(answer);
    expect_bytes(first_in, previous(), rank_, 1);
    expect_bytes(second_in, previous(), rank_, 2);
  }

  void poll_until_done(Request request) {
    const Deadline until = patience();
    while (!transport_.test(request)) {
      if (until.passed()) throw std::runtime_error("test is never true");
      std::this_thread::yield();
    }
  }

  Transport& transport_;
  int rank_;
  int size_;
};

} // namespace grapevine::net::testing
