// How the transports are made. Callers never meet an #ifdef: where MPI is not
// built in, make_mpi_transport throws a ConfigError that says so.
#pragma once

#include "net/launch_environment.h"
#include "net/transport.h"
#include "net/wrap.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::net {

// n connected transports inside one process, one for each thread of a test or
// of an embedding program. They may outlive each other; one that is destroyed
// or has failed makes its peers' pending and later operations with it fail.
// Allocates only while more operations are in flight than ever before.
std::vector<std::unique_ptr<Transport>> make_local_transports(int n);

// MPI over a duplicate of MPI_COMM_WORLD; a collective call. Messages may be
// longer than MPI's int counts allow: they travel in pieces.
//
// The first call initialises MPI, unless the program has. What was initialised
// here is finalised when the last such transport is destroyed in good order.
// Where it has failed, or an exception is passing through, MPI is left as it
// is, since MPI_Finalize could wait for a dead peer for ever: the process must
// then end with another code than 0 (mpirun takes down the rest), best by
// abandon_mpi. The bytes of operations that were in flight at a failure must
// stay allocated until the process has ended or no MPI call can come any more.
// MPI cannot be initialised twice: once finalised, this throws TransportError.
std::unique_ptr<Transport> make_mpi_transport();
bool mpi_is_available();

// What main calls last after an error: ends this process and, `last_words`
// later, the whole MPI job with `exit_code` (not 0), by MPI_Abort, after which
// nobody else of it says anything. Until then a peer may still take a message
// whose bytes are freed by now; it gets an error, or nothing of use. Returns at
// once where MPI is not built in or not running, so that main can
// `return exit_code` in one way everywhere.
void abandon_mpi(
    int exit_code,
    std::chrono::duration<double> last_words = {}) noexcept;

// c10d's ProcessGroupGloo. Meets the others through the store that the
// environment names, within `deadline` (at least 1 s; c10d counts in
// seconds): a peer that never comes is a TimeoutError that names the missing
// ranks; a port in use is a TransportError that names the port; an
// environment without a meeting point is a ConfigError. May be called several
// times, by all workers in the same order, if the store is served by none of
// them.
//
// Listens on the loopback interface where the master is loopback, else on
// environment.host_address, else on environment.interface, else on the address
// of this machine's name. c10d allocates a little for each operation.
std::unique_ptr<Transport> make_gloo_transport(
    const LaunchEnvironment& environment,
    std::chrono::duration<double> deadline);

struct TransportOptions {
  std::chrono::duration<double> deadline; // to meet the others
  // Fewer bytes on the network (pack_messages): of all workers.
  bool packs = false;
  // Put around the transport before anything else, so next to the network.
  std::vector<Wrap> wraps = {};
};

// Returns the wraps that the launcher and the options ask for: options.wraps,
// then limited links (`grapevine launch --link`), then packing.
std::vector<Wrap> make_wraps(
    const LaunchEnvironment& environment,
    const TransportOptions& options);

// Throws ConfigError if there is no transport of this name
// (base/transport_table.h) between processes, or if it refuses limited links or
// packing that are asked for.
void check_transport(
    const std::string& name,
    const LaunchEnvironment& environment,
    const TransportOptions& options);

// Returns the transport of this name, with its wraps. Throws as check_transport
// does.
std::unique_ptr<Transport> make_transport(
    const std::string& name,
    const LaunchEnvironment& environment,
    const TransportOptions& options);

} // namespace grapevine::net
