// One try to connect, on a thread of its own, since it may have to wait for a
// peer that died on the way.
#pragma once

#include "net/group_factory.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace grapevine::member {

class Attempt {
 public:
  // Connects until the deadline; after a failure that nobody asked for it
  // pauses, so that hopeless tries are not many. `finished` is called at the
  // end, from the attempt's thread.
  Attempt(
      net::GroupFactory& factory,
      net::GroupSpec group,
      Deadline deadline,
      std::chrono::milliseconds pause,
      std::function<void()> finished);
  // Cancels and waits.
  ~Attempt();
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  void cancel() { cancelled_ = true; }
  bool is_over() const { return is_over_; }

  // Once it is over: the transport, or null and why.
  bool has_succeeded() const { return transport_ != nullptr; }
  std::unique_ptr<net::Transport> take() { return std::move(transport_); }
  const std::string& error() const { return error_; }

 private:
  void run(
      net::GroupFactory& factory,
      const net::GroupSpec& group,
      Deadline deadline,
      std::chrono::milliseconds pause);

  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> is_over_ = false; // what follows belongs to its reader then
  std::unique_ptr<net::Transport> transport_;
  std::string error_;
  std::thread thread_; // last: it uses the others
};

} // namespace grapevine::member
