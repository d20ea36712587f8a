// Planes shown to near peers: who is near, that nothing is written over while
// it is read, and how waits end that cannot be satisfied.
#include "comm/windows.h"

#include "comm/support.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

namespace grapevine::comm {
namespace {

using testing::CountingTransport;
using testing::domain_of;
using testing::Near;

constexpr uint64_t kCut = 1;
constexpr int64_t kChunk = 1000; // floats

Range chunk_at(int64_t c) {
  return {c * kChunk, (c + 1) * kChunk};
}

// body(link, windows) on n threads, inside Link::run.
void run_windows(
    int n,
    Near near,
    int64_t floats,
    const std::function<void(Link&, Windows&)>& body,
    double deadline_seconds = 60) {
  auto transports = transport::make_local_transports(n);
  std::vector<CountingTransport::Counts> counts(n);
  std::vector<std::jthread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      Link link(
          std::make_unique<CountingTransport>(
              std::move(transports[i]),
              &counts[i],
              domain_of(near, i)),
          std::chrono::duration<double>(deadline_seconds));
      link.run("test", [&] {
        Windows windows(link, floats);
        body(link, windows);
      });
    });
  }
}

TEST(Windows, NearAreThoseOfOneDomain) {
  for (const Near near : testing::kNears) {
    run_windows(5, near, kChunk, [&](Link& link, Windows& windows) {
      for (int peer = 0; peer < 5; ++peer) {
        const bool same = domain_of(near, peer) == domain_of(near, link.rank());
        const bool expected =
            near != Near::kNobody && peer != link.rank() && same;
        EXPECT_EQ(windows.is_near(peer), expected);
      }
    });
  }
}

// A writer far ahead of its reader, who sees every exchange whole: each chunk
// holds one value, its exchange's number.
TEST(Windows, NothingIsWrittenOverWhileItIsRead) {
  constexpr int kExchanges = 50;
  constexpr int64_t kChunks = 3;
  run_windows(2, Near::kAll, kChunks * kChunk, [&](Link& link, Windows& it) {
    const int peer = 1 - link.rank();
    const std::vector<int> readers = {peer};
    std::vector<float> plane(kChunks * kChunk);
    for (int e = 0; e < kExchanges; ++e) {
      it.begin(kCut, kChunks);
      for (int64_t c = 0; c < kChunks; ++c) {
        if (link.rank() == 0) {
          std::ranges::fill(plane, static_cast<float>(e));
          it.publish(c, readers, plane.data(), chunk_at(c));
          continue;
        }
        it.await(peer, c, kChunk * 4);
        if (e % 7 == 0) std::this_thread::yield();
        const Range chunk = chunk_at(c);
        for (int64_t i = chunk.begin; i < chunk.end; ++i)
          ASSERT_EQ(it.outbox_of(peer)[i], static_cast<float>(e));
        it.consumed(peer, c);
      }
    }
  });
}

// What was lent counts as read only when it is given back, in the exchange
// behind, or when that one is cut in another way.
TEST(Windows, WhatIsLentStays) {
  std::atomic<int> published = 0;
  std::atomic<bool> has_looked = false;
  run_windows(2, Near::kAll, kChunk, [&](Link& link, Windows& it) {
    const int peer = 1 - link.rank();
    const std::vector<int> peers = {peer};
    if (link.rank() == 0) {
      for (int e = 0; e < 4; ++e) {
        const std::vector<float> plane(kChunk, static_cast<float>(e));
        it.begin(kCut, 1);
        it.publish(0, peers, plane.data(), chunk_at(0));
        published = e + 1;
      }
      return;
    }
    it.begin(kCut, 1);
    it.await(peer, 0, 4);
    const float* lent = it.outbox_of(peer);
    it.lend(peers);
    while (published < 2)
      std::this_thread::yield();
    // The writer is about to use the same outbox again, but must not.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(published, 2);
    EXPECT_EQ(lent[0], 0.0f);
    has_looked = true;
    it.begin(kCut, 1);
    it.give_back(0);
    it.await(peer, 0, 4);
    it.lend(peers);
    it.begin(kCut + 1, 1); // another cut gives back all
    it.await(peer, 0, 4);
    it.consumed(peer, 0);
    it.begin(kCut + 1, 1);
    it.await(peer, 0, 4);
  });
  EXPECT_EQ(published, 4);
  EXPECT_TRUE(has_looked);
}

TEST(Windows, AWaitForAPeerThatHasLeftThrows) {
  std::atomic<int> thrown = 0;
  run_windows(3, Near::kAll, kChunk, [&](Link& link, Windows& it) {
    it.begin(kCut, 1);
    if (link.rank() == 2) return;
    try {
      it.await(2, 0, 4000);
    } catch (const TransportError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("worker 2"), std::string::npos) << text;
      EXPECT_NE(text.find("it has left"), std::string::npos) << text;
      ++thrown;
    }
  });
  EXPECT_EQ(thrown, 2);
}

TEST(Windows, WaitsHaveADeadline) {
  std::atomic<bool> is_over = false;
  const auto body = [&](Link& link, Windows& it) {
    it.begin(kCut, 1);
    if (link.rank() == 1) {
      while (!is_over)
        std::this_thread::yield();
      return;
    }
    EXPECT_THROW(it.await(1, 0, 4000), TimeoutError);
    is_over = true;
  };
  run_windows(2, Near::kAll, kChunk, body, 3);
}

TEST(Windows, AnInterruptEndsAWait) {
  std::atomic<bool> is_over = false;
  run_windows(2, Near::kAll, kChunk, [&](Link& link, Windows& it) {
    it.begin(kCut, 1);
    if (link.rank() == 1) {
      while (!is_over)
        std::this_thread::yield();
      return;
    }
    std::jthread other([&] { link.interrupt(); });
    EXPECT_THROW(it.await(1, 0, 4000), TransportError);
    is_over = true;
  });
}

} // namespace
} // namespace grapevine::comm
