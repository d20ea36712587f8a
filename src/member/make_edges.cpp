#include "base/transport_table.h"
#include "member/linked_edges.h"
#include "net/gloo.h"
#include "net/wraps.h"

#include <algorithm>

namespace grapevine::member {
namespace {

// Both sides have said that they want the link when it is being made, so it
// takes milliseconds unless one of them has just died.
constexpr std::chrono::duration<double> kLongestGroupConnect{10};

} // namespace

std::unique_ptr<Edges> make_gloo_edges(
    const net::LaunchEnvironment& environment,
    std::vector<int> neighbours,
    const net::TransportOptions& options) {
  std::shared_ptr<net::KeyValueStore> store =
      open_gloo_store(environment, Deadline::after(options.deadline));
  std::vector<net::Wrap> wraps = net::make_wraps(environment, options);
  // Limited links stand for a network, also between workers of one machine.
  if (environment.link_table < 0) wraps.push_back(net::move_near());
  auto factory =
      net::make_gloo_group_factory(environment, store, std::move(wraps));
  return make_linked_edges(
      std::move(store),
      std::move(factory),
      {.name = std::string(net::kGloo.name),
       .rank = environment.rank,
       .size = environment.size,
       .neighbours = std::move(neighbours),
       .connect_seconds = std::min(options.deadline, kLongestGroupConnect)});
}

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
