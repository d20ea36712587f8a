#include "transport/edges/packed_connector.h"

#include "transport/packed/packed_transport.h"

namespace grapevine::transport {
namespace {

class PackedConnector : public Connector {
 public:
  explicit PackedConnector(std::shared_ptr<Connector> inner)
      : inner_(std::move(inner)) {}

  std::unique_ptr<Transport> connect(
      const Party& party,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    return pack_messages(
        inner_->connect(party, deadline, cancelled),
        party.workers);
  }

 private:
  std::shared_ptr<Connector> inner_;
};

} // namespace

std::shared_ptr<Connector> pack_messages(std::shared_ptr<Connector> inner) {
  return std::make_shared<PackedConnector>(std::move(inner));
}

} // namespace grapevine::transport
