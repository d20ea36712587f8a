// What the launcher of this process has put into the environment: mpirun,
// srun, torchrun and grapevine launch, read in this one place.
//
// The first of these that applies:
//   grapevine launch  GRAPEVINE_LAUNCH, and torchrun's variables      gloo
//   torchrun          TORCHELASTIC_RUN_ID, and as below               gloo
//   mpirun            OMPI_COMM_WORLD_RANK/SIZE/LOCAL_RANK/LOCAL_SIZE
//                     (Open MPI) or PMI_RANK/PMI_SIZE, MPI_LOCALRANKID/
//                     MPI_LOCALNRANKS (MPICH)                         mpi
//   torchrun-style    RANK or WORLD_SIZE; both are needed, LOCAL_RANK and
//                     LOCAL_WORLD_SIZE are not. They meet at MASTER_ADDR and
//                     MASTER_PORT, or in the file GRAPEVINE_STORE_FILE  gloo
//   srun              SLURM_PROCID, SLURM_STEP_ID and more than one task
//                     (SLURM_STEP_NUM_TASKS or SLURM_NTASKS); mpi where
//                     PMIX_RANK is set, else gloo. They meet at MASTER_ADDR
//                     and MASTER_PORT, or at the step's first node and a port
//                     derived from the job's number
//   none of them      alone                                           virtual
#pragma once

#include "base/link_options.h"
#include "base/transport_table.h"
#include "net/transport.h"

#include <functional>
#include <optional>
#include <string>

namespace grapevine::net {

struct LaunchEnvironment {
  enum class Kind { kAlone, kMpi, kTorchrun, kSlurm, kGrapevine };
  Kind kind = Kind::kAlone;
  // What --transport defaults to here.
  std::string transport{kVirtual.name};
  int rank = 0;
  int size = 1;
  // Among the workers of this node, if the launcher told both numbers.
  std::optional<LocalPlace> local_place;
  // Gloo's meeting point: an address and port (store_is_served says whether
  // somebody else, the launcher, serves it, so that rank 0 is a client), or a
  // file. The file must be a new one for each run; it is removed when all have
  // met in it and left, or kept, for those who open it several times.
  std::string master_address;
  int master_port = 0;
  bool store_is_served = false;
  std::string store_file;
  bool keeps_store_file = false;
  // Where this worker listens for its peers, if it was told
  // (HOST_ADDRESS, GLOO_SOCKET_IFNAME).
  std::string host_address;
  std::string interface;
  // Whether workers of one machine that talk over Gloo may show each other
  // memory (GRAPEVINE_SHARE_MEMORY=0: all that they exchange goes through the
  // network).
  bool shares_memory = true;
  // Of the whole run: how often the launcher has started all workers again.
  int restart_attempt = 0;
  // Of this worker alone, while the others went on (GRAPEVINE_RESTART, from
  // `grapevine launch --on-failure restart`).
  int restart_of_worker = 0;
  // What the launcher does when a worker fails while others run, where that is
  // not to end them: "continue" or "restart" (GRAPEVINE_ON_FAILURE).
  std::string on_failure;
  // Of `grapevine launch --link` and --slow. The table of links is an inherited
  // file descriptor (GRAPEVINE_LINK_TABLE; net/shaped/link_table.h);
  // below 0 there is none.
  LinkOptions link; // GRAPEVINE_LINK
  int link_table = -1;
  SlowOptions slow; // GRAPEVINE_SLOW, also under other launchers
};

using GetEnv = std::function<std::optional<std::string>(const char*)>;

// Throws ConfigError naming the variable that is missing or not a number.
LaunchEnvironment read_launch_environment(const GetEnv& get_env);
// The same from the process's own environment.
LaunchEnvironment read_launch_environment();

// The first host of a Slurm node list: "node01" of "node[01-04,07],other".
std::string first_host(const std::string& node_list);

} // namespace grapevine::net
