// Memory between processes, and the bell that wakes those who wait there.
#include "base/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace grapevine {
namespace {

using std::chrono::milliseconds;

struct Board {
  Bell bell;
  std::atomic<int> value;
};

Board& board_in(SharedMemory& memory) {
  return *reinterpret_cast<Board*>(memory.bytes().data());
}

// Until the value is there; every look is behind a ring of the bell.
void await(Board& board, int value) {
  while (true) {
    const uint32_t heard = board.bell.listen();
    if (board.value >= value) return;
    board.bell.wait(heard, milliseconds(10'000));
  }
}

void set(Board& board, int value) {
  board.value = value;
  board.bell.ring();
}

TEST(SharedMemory, IsZeroAndSeenThroughEveryMapping) {
  const auto mine = SharedMemory::create(10'000);
  ASSERT_EQ(mine->bytes().size(), 10'000u);
  for (const std::byte value : mine->bytes())
    ASSERT_EQ(value, std::byte{0});
  const auto again = SharedMemory::open(mine->name());
  ASSERT_NE(again, nullptr);
  EXPECT_NE(again->bytes().data(), mine->bytes().data());
  mine->bytes()[9'999] = std::byte{7};
  EXPECT_EQ(again->bytes()[9'999], std::byte{7});
  EXPECT_FALSE(again->maker_is_gone());
  // What is open stays, and nobody else can open it.
  const MemoryName name = mine->name();
  mine->close_name();
  EXPECT_EQ(SharedMemory::open(name), nullptr);
  again->bytes()[0] = std::byte{1};
  EXPECT_EQ(mine->bytes()[0], std::byte{1});
}

TEST(SharedMemory, AWrongNameIsNotOpened) {
  const auto mine = SharedMemory::create(100);
  MemoryName name = mine->name();
  name.bytes = 200;
  EXPECT_EQ(SharedMemory::open(name), nullptr);
  name = mine->name();
  name.file = 9'999;
  EXPECT_EQ(SharedMemory::open(name), nullptr);
  name = mine->name();
  name.process = 1 << 22; // beyond what Linux numbers
  EXPECT_EQ(SharedMemory::open(name), nullptr);
}

TEST(SharedMemory, ProcessesOfOneDomainHaveOneName) {
  EXPECT_FALSE(memory_domain_of_this_process().empty());
  EXPECT_EQ(memory_domain_of_this_process(), memory_domain_of_this_process());
}

// Two processes count to 2000 in turns, each asleep while it is not its turn;
// then one is killed, and the other sees that.
TEST(SharedMemory, ProcessesTakeTurnsAndOneSeesTheOthersEnd) {
  constexpr int kTurns = 2000;
  const auto mine = SharedMemory::create(sizeof(Board));
  const MemoryName name = mine->name();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto theirs = SharedMemory::open(name);
    if (theirs == nullptr) _exit(1);
    Board& board = board_in(*theirs);
    for (int turn = 0; turn < kTurns; turn += 2) {
      await(board, turn);
      set(board, turn + 1);
    }
    while (!theirs->maker_is_gone())
      std::this_thread::sleep_for(milliseconds(1));
    _exit(0);
  }
  Board& board = board_in(*mine);
  for (int turn = 1; turn < kTurns; turn += 2) {
    await(board, turn);
    set(board, turn + 1);
  }
  EXPECT_EQ(board.value, kTurns);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(SharedMemory, TheEndOfItsMakerIsSeen) {
  int names[2];
  int end[2];
  ASSERT_EQ(pipe(names), 0);
  ASSERT_EQ(pipe(end), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto made = SharedMemory::create(100);
    made->bytes()[5] = std::byte{42};
    const MemoryName name = made->name();
    char any = 0;
    if (write(names[1], &name, sizeof(name)) != sizeof(name)) _exit(1);
    if (read(end[0], &any, 1) != 1) _exit(1);
    _exit(0);
  }
  MemoryName name;
  ASSERT_EQ(read(names[0], &name, sizeof(name)), ssize_t{sizeof(name)});
  const auto memory = SharedMemory::open(name);
  ASSERT_NE(memory, nullptr);
  EXPECT_FALSE(memory->maker_is_gone());
  ASSERT_EQ(write(end[1], "x", 1), 1);
  // Also while nobody has waited for it.
  while (!memory->maker_is_gone())
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(memory->bytes()[5], std::byte{42});
  waitpid(child, nullptr, 0);
  for (const int file : {names[0], names[1], end[0], end[1]})
    close(file);
}

TEST(Bell, WaitsNoLongerThanAsked) {
  const auto memory = SharedMemory::create(sizeof(Board));
  Bell& bell = board_in(*memory).bell;
  bell.wait(bell.listen(), milliseconds(1));
  // Rung between listening and waiting: no wait at all.
  const uint32_t heard = bell.listen();
  bell.ring();
  const auto start = std::chrono::steady_clock::now();
  bell.wait(heard, milliseconds(60'000));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

} // namespace
} // namespace grapevine
