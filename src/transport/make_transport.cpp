#include "transport/shaped/shaped_transport.h"
#include "transport/transports.h"

namespace grapevine::transport {

std::unique_ptr<Transport> make_transport(
    const std::string& name,
    const LaunchEnvironment& environment,
    std::chrono::duration<double> deadline) {
  const bool limits_links = environment.link_table >= 0;
  if (name == "mpi") {
    if (limits_links) {
      throw ConfigError(
          "--link limits the links of `grapevine launch`, which are Gloo's; "
          "leave --transport mpi out");
    }
    return make_mpi_transport();
  }
  auto transport = make_gloo_transport(environment, deadline);
  if (!limits_links) return transport;
  return shape_links(std::move(transport), environment.link_table);
}

} // namespace grapevine::transport
