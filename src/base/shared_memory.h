// Memory that several processes of one machine see, and a bell in it to wake
// those who wait for a change there.
//
// Linux: memory files, which vanish with their last user whatever happens to
// the processes. Nothing here waits for another process but Bell::wait.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace grapevine {

// Names what processes must have in common to share memory: the running
// kernel, the host name (test hosts and containers on one machine have one
// each, and are meant to be apart), process numbers and the user.
std::string memory_domain_of_this_process();

// How another process of the same domain finds a piece of memory.
struct MemoryName {
  int64_t process = 0;
  int64_t file = -1; // its file number there
  int64_t bytes = 0;
};

class SharedMemory {
 public:
  // New memory, zero. Pages are taken when first written. Throws
  // std::bad_alloc.
  static std::unique_ptr<SharedMemory> create(size_t bytes);
  // Another's, in a mapping of our own; its maker must still have it. Null
  // where it cannot be had.
  static std::unique_ptr<SharedMemory> open(const MemoryName& name);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }
  // Of memory that was created here.
  MemoryName name() const;
  // Others have opened what they will: it needs no name any more.
  void close_name();
  // Of memory that was opened: the process that made it has ended.
  bool maker_is_gone() const;

 private:
  SharedMemory(std::byte* data, size_t size, int file, int process)
      : data_(data),
        size_(size),
        file_(file),
        process_(process) {}

  std::byte* data_;
  size_t size_;
  int file_;    // created: the memory; -1 once closed
  int process_; // opened: a handle of the maker; -1 if it is this process
};

// Lies in shared memory, zero at the beginning. Whoever has changed something
// rings; whoever waits for it sleeps until then. Any thread of any process.
class Bell {
 public:
  void ring();

  // Before looking at what is waited for.
  uint32_t listen() { return count_.load(); }
  // Until it has rung since listen returned `heard`, or the time has passed.
  void wait(uint32_t heard, std::chrono::milliseconds longest);

 private:
  std::atomic<uint32_t> count_;
  std::atomic<uint32_t> sleepers_;
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

} // namespace grapevine
