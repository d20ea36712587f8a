#include "transport/edges/shaped_connector.h"

#include "transport/shaped/shaped_transport.h"

#include <string_view>

namespace grapevine::transport {
namespace {

// Of the party's name, which is never used twice (FNV-1a, 64 bits; two of a run
// hardly ever have the same). Not 0, which is that of no party.
uint64_t number_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char letter : name) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3ull;
  }
  return hash | 1;
}

class ShapedConnector : public Connector {
 public:
  ShapedConnector(std::shared_ptr<Connector> inner, int descriptor)
      : inner_(std::move(inner)),
        descriptor_(descriptor) {}

  std::unique_ptr<Transport> connect(
      const Party& party,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    const LinksOfSome links{
        .descriptor = descriptor_,
        .workers = party.workers,
        .self = party.self,
        .number = number_of(party.name)};
    prepare_links(links);
    return shape_links(inner_->connect(party, deadline, cancelled), links);
  }

 private:
  std::shared_ptr<Connector> inner_;
  int descriptor_;
};

} // namespace

std::shared_ptr<Connector> shape_links(
    std::shared_ptr<Connector> inner,
    int descriptor) {
  return std::make_shared<ShapedConnector>(std::move(inner), descriptor);
}

} // namespace grapevine::transport
