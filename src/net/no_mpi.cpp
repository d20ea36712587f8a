// The absent twin of mpi/.
#include "net/transports.h"

namespace grapevine::net {

std::unique_ptr<Transport> make_mpi_transport() {
  throw ConfigError(
      "this Grapevine was built without MPI (GV_MPI=OFF); use "
      "--transport gloo, or build it with GV_MPI=ON");
}

bool mpi_is_available() {
  return false;
}

void abandon_mpi(int, std::chrono::duration<double>) noexcept {}

} // namespace grapevine::net
