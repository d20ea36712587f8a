// Gloo's parts, beside the transport (net/transports.h), for those who meet in
// its store. Without torch, so that other sources may include it.
#pragma once

#include "net/key_value_store.h"
#include "net/launch_environment.h"
#include "net/wrap.h"

#include <memory>
#include <string>
#include <vector>

namespace grapevine::net {

// The meeting point of Gloo's workers, served by a process that is none of
// them: the launcher.
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

// The store that the environment names. One that was lost is looked for again,
// at most once a second, unless this worker serves it. Throws as
// make_gloo_transport does.
std::unique_ptr<KeyValueStore> open_gloo_store(
    const LaunchEnvironment& environment,
    Deadline deadline);

// A process group for each group, whose members find each other through the
// store. They share one device, so one thread serves all their connections;
// c10d adds an idle one to each group.
std::unique_ptr<GroupFactory> make_gloo_group_factory(
    const LaunchEnvironment& environment,
    std::shared_ptr<KeyValueStore> store,
    std::vector<Wrap> wraps);

} // namespace grapevine::net
