// The ranks of a test as threads.
#pragma once

#include "transport/transport.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace grapevine::transport::testing {

using Transports = std::vector<std::unique_ptr<Transport>>;

// Runs `work` on one thread for each transport; what they throw fails the
// test.
inline void on_threads(
    Transports& transports,
    const std::function<void(Transport&)>& work) {
  std::vector<std::jthread> threads;
  for (auto& transport : transports) {
    threads.emplace_back([&work, &transport] {
      try {
        work(*transport);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << transport->rank() << ": " << error.what();
      }
    });
  }
}

} // namespace grapevine::transport::testing
