#include "transport/packed/packed_transport.h"
#include "transport/shaped/shaped_transport.h"
#include "transport/transports.h"

namespace grapevine::transport {

std::unique_ptr<Transport> make_transport(
    const std::string& name,
    const LaunchEnvironment& environment,
    const TransportOptions& options) {
  const bool limits_links = environment.link_table >= 0;
  if (name == "mpi") {
    if (limits_links) {
      throw ConfigError(
          "--link limits the links of `grapevine launch`, which are Gloo's; "
          "leave --transport mpi out");
    }
    if (options.packs) {
      throw ConfigError(
          "--packing packs what goes over Gloo; MPI moves its messages as they "
          "are: leave --packing out, or MPI");
    }
    return make_mpi_transport();
  }
  auto transport = make_gloo_transport(environment, options.deadline);
  if (limits_links) {
    transport = shape_links(std::move(transport), environment.link_table);
  }
  return options.packs ? pack_messages(std::move(transport))
                       : std::move(transport);
}

} // namespace grapevine::transport
