#include "base/transport_table.h"
#include "transport/c10d/gloo_parts.h"
#include "transport/edges/linked_edges.h"
#include "transport/near/near_transport.h"

#include <algorithm>

namespace grapevine::transport {
namespace {

// Both sides have said that they want the link when it is being made, so it
// takes milliseconds unless one of them has just died.
constexpr std::chrono::duration<double> kLongestConnect{10};

} // namespace

std::unique_ptr<Edges> make_gloo_edges(
    const LaunchEnvironment& environment,
    std::vector<int> neighbours,
    const TransportOptions& options) {
  std::shared_ptr<KeyValueStore> store =
      open_gloo_store(environment, Deadline::after(options.deadline));
  std::vector<Wrap> wraps = make_wraps(environment, options);
  // Limited links stand for a network, also between workers of one machine.
  if (environment.link_table < 0) wraps.push_back(move_near());
  auto factory = make_gloo_group_factory(environment, store, std::move(wraps));
  return make_linked_edges(
      std::move(store),
      std::move(factory),
      {.name = std::string(kGloo.name),
       .rank = environment.rank,
       .size = environment.size,
       .neighbours = std::move(neighbours),
       .connect_seconds = std::min(options.deadline, kLongestConnect)});
}

} // namespace grapevine::transport
