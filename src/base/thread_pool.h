// A fixed set of threads that run loops together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace grapevine {

class ThreadPool {
 public:
  // threads >= 1. The caller is one of them: a pool of 1 starts no thread.
  // on_start runs once on every thread of the pool, the caller's included
  // (there, in this constructor): the place for per-thread settings of other
  // libraries.
  explicit ThreadPool(int threads, std::function<void()> on_start = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Calls body(index, thread) for every index in [0, count), each exactly
  // once, in no particular order, on any of the threads (0 <= thread <
  // threads()), and returns when all are done. The first exception is thrown
  // here; indices that have not begun by then are left out. Not reentrant;
  // one caller at a time, the thread that made the pool.
  void for_each(int64_t count, const std::function<void(int64_t, int)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine
