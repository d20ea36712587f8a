#include "member/attempt.h"

namespace grapevine::member {

Attempt::Attempt(
    net::GroupFactory& factory,
    net::GroupSpec group,
    Deadline deadline,
    std::chrono::milliseconds pause,
    std::function<void()> finished)
    : thread_([this,
               &factory,
               group = std::move(group),
               deadline,
               pause,
               finished = std::move(finished)] {
        run(factory, group, deadline, pause);
        is_over_ = true;
        finished();
      }) {}

Attempt::~Attempt() {
  cancelled_ = true;
  thread_.join();
}

void Attempt::run(
    net::GroupFactory& factory,
    const net::GroupSpec& group,
    Deadline deadline,
    std::chrono::milliseconds pause) {
  try {
    transport_ = factory.connect(group, deadline, cancelled_);
    return;
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  const auto until = Deadline::after(pause);
  while (!cancelled_ && !until.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

} // namespace grapevine::member
