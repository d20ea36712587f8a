// The meeting point of Gloo's workers, served by a process that is none of
// them: the launcher.
#pragma once

#include "net/launch_environment.h"

#include <memory>
#include <string>

namespace grapevine::net {

class StoreServer {
 public:
  virtual ~StoreServer() = default; // stops serving
  virtual int port() const = 0;
  // Tells the workers that this one has ended for good, and how; those who
  // keep edges to it (member/edges.h) hear of it. Does not throw.
  virtual void say_lost(int rank, const std::string& how) = 0;
  // Tells workers that are still waiting for others to come that one will not,
  // and why. Those who have met do not hear of it. Does not throw.
  virtual void say_missing(const std::string& how) = 0;
};

// Serves a c10d TCPStore from a thread of its own. Port 0 takes a free one.
// Throws TransportError naming the port if it is in use. c10d listens on all
// interfaces.
std::unique_ptr<StoreServer> serve_store(int port = 0);

// For whoever opens the store of one environment several times: where nobody
// but worker 0 would serve it, worker 0 does so from now on (null on the
// others), and the environment says that it is served; a file is kept.
std::unique_ptr<StoreServer> serve_store_for(LaunchEnvironment& environment);

} // namespace grapevine::net
