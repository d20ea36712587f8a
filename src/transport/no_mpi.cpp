// The absent twin of mpi/.
#include "transport/transports.h"

namespace grapevine::transport {

std::unique_ptr<Transport> make_mpi_transport() {
  throw ConfigError(
      "this Grapevine was built without MPI (GV_MPI=OFF); use "
      "--transport gloo, or build it with GV_MPI=ON");
}

bool mpi_is_available() {
  return false;
}

void abandon_mpi(int, std::chrono::duration<double>) noexcept {}

} // namespace grapevine::transport
