// The ranks of a test as threads.
#pragma once

#include "net/transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace grapevine::net::testing {

using Transports = std::vector<std::unique_ptr<Transport>>;

// Runs work(rank) on one thread for each rank; what they throw fails the test.
inline void on_threads(int n, const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < n; ++rank) {
    threads.emplace_back([&work, rank] {
      try {
        work(rank);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << rank << ": " << error.what();
      }
    });
  }
}

// The same with each rank's own transport, or edges, in their order.
template <typename Own, typename Work>
void on_threads(std::vector<std::unique_ptr<Own>>& all, const Work& work) {
  on_threads(static_cast<int>(all.size()), [&](int rank) { work(*all[rank]); });
}

} // namespace grapevine::net::testing
