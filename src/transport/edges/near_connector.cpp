#include "transport/edges/near_connector.h"

#include "transport/near/near_transport.h"

namespace grapevine::transport {
namespace {

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
    return move_near(std::move(transport), party.workers, deadline);
  }

 private:
  std::shared_ptr<Connector> inner_;
};

} // namespace

std::shared_ptr<Connector> move_pairs_near(std::shared_ptr<Connector> inner) {
  return std::make_shared<NearConnector>(std::move(inner));
}

} // namespace grapevine::transport
