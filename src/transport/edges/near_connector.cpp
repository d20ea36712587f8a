#include "transport/edges/near_connector.h"

#include "transport/near/near_transport.h"

#include <algorithm>

namespace grapevine::transport {
namespace {

// The other side has just been connected, so it answers at once unless it was
// stopped; and nobody can cancel this.
constexpr std::chrono::seconds kLongestTalk{5};

class NearConnector : public Connector {
 public:
  explicit NearConnector(std::shared_ptr<Connector> inner)
      : inner_(std::move(inner)) {}

  std::unique_ptr<Transport> connect(
      const Party& party,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    auto transport = inner_->connect(party, deadline, cancelled);
    if (party.workers.size() != 2) return transport;
    if (cancelled) throw TransportError("given up");
    return move_near(
        std::move(transport),
        party.workers,
        Deadline::after(std::min<std::chrono::duration<double>>(
            deadline.remaining(),
            kLongestTalk)));
  }

 private:
  std::shared_ptr<Connector> inner_;
};

} // namespace

std::shared_ptr<Connector> move_pairs_near(std::shared_ptr<Connector> inner) {
  return std::make_shared<NearConnector>(std::move(inner));
}

} // namespace grapevine::transport
