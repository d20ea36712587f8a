// All that is used of c10d, in one place: what differs between versions of
// libtorch is settled here. Includes torch; for the sources of c10d/ only.
#pragma once

#include "base/deadline.h"

#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace grapevine::net {

using StorePointer = c10::intrusive_ptr<::c10d::Store>;
using WorkPointer = c10::intrusive_ptr<::c10d::Work>;

// What is left until the deadline, in a form that c10d takes for a limit: its
// 0 means "none".
inline std::chrono::milliseconds c10d_timeout(Deadline deadline) {
  return std::max(deadline.remaining(), std::chrono::milliseconds(1));
}

// The same for calls in which c10d counts whole seconds, and drops the rest.
inline std::chrono::milliseconds c10d_timeout_seconds(Deadline deadline) {
  return std::chrono::ceil<std::chrono::seconds>(c10d_timeout(deadline));
}

// c10d and Gloo have no type for it that all of their parts throw.
inline bool says_timed_out(std::string_view text) {
  return text.find("imed out") != std::string_view::npos;
}

// libtorch's messages end with a stack trace; its first line says it all.
inline std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

inline c10::intrusive_ptr<::c10d::TCPStore> make_tcp_store(
    const std::string& host,
    int port,
    bool serve,
    std::chrono::milliseconds timeout) {
  ::c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(port);
  options.isServer = serve;
  options.waitWorkers = false; // the meeting counts them, and names the missing
  options.timeout = timeout;
  return c10::make_intrusive<::c10d::TCPStore>(host, options);
}

// Where a run keeps its keys: workers that come to a restarted run must not
// meet those of the last.
inline StorePointer run_corner(StorePointer store, int restart_attempt) {
  return c10::make_intrusive<::c10d::PrefixStore>(
      "grapevine/" + std::to_string(restart_attempt),
      std::move(store));
}

} // namespace grapevine::net
