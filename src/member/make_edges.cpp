#include "base/transport_table.h"
#include "member/edges.h"

namespace grapevine::member {

std::unique_ptr<Edges> make_edges(
    const std::string& name,
    const net::LaunchEnvironment& environment,
    std::vector<int> neighbours,
    const net::TransportOptions& options) {
  net::check_transport(name, environment, options);
  if (net::survives_loss(name)) {
    return make_gloo_edges(environment, std::move(neighbours), options);
  }
  return make_fixed_edges(
      net::make_transport(name, environment, options),
      std::move(neighbours));
}

} // namespace grapevine::member
