// Planes shown to near peers: who is near, that nothing is written over while
// it is read, and how waits end that cannot be satisfied.
#include "mix/windows.h"

#include "mix/plan_support.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

namespace grapevine::mix {
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
  auto transports = net::make_local_transports(n);
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

// Chunk c of a plane, for these readers.
void publish(
    Windows& windows,
    int64_t c,
    std::span<const int> readers,
    const std::vector<float>& plane) {
  const Range chunk = chunk_at(c);
  float* to = windows.claim(c, readers, chunk.size() * 4);
  std::copy_n(plane.data() + chunk.begin, chunk.size(), to + chunk.begin);
  windows.publish(c);
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
      const int64_t number = it.begin(kCut, kChunks);
      for (int64_t c = 0; c < kChunks; ++c) {
        if (link.rank() == 0) {
          std::ranges::fill(plane, static_cast<float>(e));
          publish(it, c, readers, plane);
          continue;
        }
        it.await(peer, number, c, kChunk * 4);
        if (e % 7 == 0) std::this_thread::yield();
        const Range chunk = chunk_at(c);
        for (int64_t i = chunk.begin; i < chunk.end; ++i)
          ASSERT_EQ(it.outbox_of(peer, number)[i], static_cast<float>(e));
        it.consumed(peer, number, c);
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
        publish(it, 0, peers, plane);
        published = e + 1;
      }
      return;
    }
    const int64_t first = it.begin(kCut, 1);
    it.await(peer, first, 0, 4);
    const float* lent = it.outbox_of(peer, first);
    it.lend(peers);
    while (published < 2)
      std::this_thread::yield();
    // The writer is about to use the same outbox again, but must not.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(published, 2);
    EXPECT_EQ(lent[0], 0.0f);
    has_looked = true;
    const int64_t second = it.begin(kCut, 1);
    it.give_back(0);
    it.await(peer, second, 0, 4);
    it.lend(peers);
    const int64_t third = it.begin(kCut + 1, 1); // another cut gives back all
    it.await(peer, third, 0, 4);
    it.consumed(peer, third, 0);
    it.await(peer, it.begin(kCut + 1, 1), 0, 4);
  });
  EXPECT_EQ(published, 4);
  EXPECT_TRUE(has_looked);
}

// Two exchanges are open at once: the older is still read, chunk by chunk,
// while the newer is published.
TEST(Windows, TheOneBeforeIsReadWhileTheNewestIsPublished) {
  constexpr int kExchanges = 30;
  constexpr int64_t kChunks = 3;
  run_windows(2, Near::kAll, kChunks * kChunk, [&](Link& link, Windows& it) {
    const int peer = 1 - link.rank();
    const std::vector<int> peers = {peer};
    const auto value = [](int e, int rank) {
      return static_cast<float>(10 * e + rank);
    };
    int64_t before = -1;
    for (int e = 0; e < kExchanges; ++e) {
      const int64_t number = it.begin(kCut, kChunks);
      it.lend(peers);
      const std::vector<float> mine(kChunks * kChunk, value(e, link.rank()));
      for (int64_t c = 0; c < kChunks; ++c) {
        if (before >= 0) {
          it.await(peer, before, c, kChunk * 4);
          const float* theirs = it.outbox_of(peer, before);
          const Range chunk = chunk_at(c);
          for (int64_t i = chunk.begin; i < chunk.end; ++i)
            ASSERT_EQ(theirs[i], value(e - 1, peer));
        }
        it.give_back(c);
        publish(it, c, peers, mine);
      }
      before = number;
    }
  });
}

// A writer may leave out the gaps of a plane, which are elsewhere in another
// one: what was there of the first does not shine through.
TEST(Windows, WhatIsLeftOutIsZeroInAnotherCut) {
  run_windows(2, Near::kAll, kChunk, [&](Link& link, Windows& it) {
    const int peer = 1 - link.rank();
    const std::vector<int> peers = {peer};
    const std::vector<float> plane(kChunk, 5);
    for (int e = 0; e < 6; ++e) {
      const bool is_other = e >= 2;
      const int64_t number = it.begin(is_other ? kCut + 1 : kCut, 1);
      if (is_other) {
        float* mine = it.claim(0, peers, kChunk * 4);
        std::fill_n(mine, kChunk / 2, 7.0F);
        it.publish(0);
      } else {
        publish(it, 0, peers, plane);
      }
      it.await(peer, number, 0, kChunk * 4);
      const float* theirs = it.outbox_of(peer, number);
      EXPECT_EQ(theirs[kChunk / 2 - 1], is_other ? 7.0F : 5.0F);
      EXPECT_EQ(theirs[kChunk / 2], is_other ? 0.0F : 5.0F);
      it.consumed(peer, number, 0);
    }
  });
}

TEST(Windows, AWaitForAPeerThatHasLeftThrows) {
  std::atomic<int> thrown = 0;
  run_windows(3, Near::kAll, kChunk, [&](Link& link, Windows& it) {
    const int64_t number = it.begin(kCut, 1);
    if (link.rank() == 2) return;
    try {
      it.await(2, number, 0, 4000);
    } catch (const TransportError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("worker 2"), std::string::npos) << text;
      EXPECT_NE(text.find("it has closed the link"), std::string::npos) << text;
      ++thrown;
    }
  });
  EXPECT_EQ(thrown, 2);
}

TEST(Windows, WaitsHaveADeadline) {
  std::atomic<bool> is_over = false;
  const auto body = [&](Link& link, Windows& it) {
    const int64_t number = it.begin(kCut, 1);
    if (link.rank() == 1) {
      while (!is_over)
        std::this_thread::yield();
      return;
    }
    EXPECT_THROW(it.await(1, number, 0, 4000), TimeoutError);
    is_over = true;
  };
  run_windows(2, Near::kAll, kChunk, body, 3);
}

TEST(Windows, AnInterruptEndsAWait) {
  std::atomic<bool> is_over = false;
  run_windows(2, Near::kAll, kChunk, [&](Link& link, Windows& it) {
    const int64_t number = it.begin(kCut, 1);
    if (link.rank() == 1) {
      while (!is_over)
        std::this_thread::yield();
      return;
    }
    std::jthread other([&] { link.interrupt(); });
    EXPECT_THROW(it.await(1, number, 0, 4000), TransportError);
    is_over = true;
  });
}

} // namespace
} // namespace grapevine::mix
