#include "transport/edges/attempt.h"

namespace grapevine::transport {

Attempt::Attempt(
    Connector& connector,
    Party party,
    Deadline deadline,
    std::chrono::milliseconds pause,
    std::function<void()> finished)
    : thread_([this,
               &connector,
               party = std::move(party),
               deadline,
               pause,
               finished = std::move(finished)] {
        run(connector, party, deadline, pause);
        is_over_ = true;
        finished();
      }) {}

Attempt::~Attempt() {
  cancelled_ = true;
  thread_.join();
}

void Attempt::run(
    Connector& connector,
    const Party& party,
    Deadline deadline,
    std::chrono::milliseconds pause) {
  try {
    transport_ = connector.connect(party, deadline, cancelled_);
    return;
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  const auto until = Deadline::after(pause);
  while (!cancelled_ && !until.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

} // namespace grapevine::transport
