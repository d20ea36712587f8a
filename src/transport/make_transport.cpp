#include "base/transport_table.h"
#include "transport/edges.h"
#include "transport/packed/packed_transport.h"
#include "transport/shaped/shaped_transport.h"
#include "transport/transports.h"

#include <fmt/format.h>

namespace grapevine::transport {
namespace {

struct Maker {
  const TransportEntry* entry;
  std::unique_ptr<Transport> (*make)(
      const LaunchEnvironment& environment,
      std::chrono::duration<double> deadline);
  // Of a transport that survives losses; else null.
  std::unique_ptr<Edges> (*make_edges)(
      const LaunchEnvironment& environment,
      std::vector<int> neighbours,
      const TransportOptions& options);
};

constexpr Maker kMakers[] = {
    {&kMpi,
     [](const LaunchEnvironment&, std::chrono::duration<double>) {
       return make_mpi_transport();
     },
     nullptr},
    {&kGloo, make_gloo_transport, make_gloo_edges}};

// Throws ConfigError if the transport does not exist or refuses what is wanted.
const Maker& find_maker(
    const std::string& name,
    const LaunchEnvironment& environment,
    const TransportOptions& options) {
  for (const Maker& maker : kMakers) {
    const TransportEntry& entry = *maker.entry;
    if (entry.name != name) continue;
    if (environment.link_table >= 0 && !entry.allows_limited_links) {
      throw ConfigError(fmt::format(
          "--link limits the links of `grapevine launch`, which are {}'s; "
          "leave --transport {} out",
          kGloo.title,
          name));
    }
    if (options.packs && !entry.allows_packing) {
      throw ConfigError(fmt::format(
          "--packing packs what goes over {}; {} moves its messages as they "
          "are: leave --packing out, or {}",
          kGloo.title,
          entry.title,
          entry.title));
    }
    return maker;
  }
  throw ConfigError(
      fmt::format("there is no transport between processes named '{}'", name));
}

} // namespace

std::vector<Wrap> make_wraps(
    const LaunchEnvironment& environment,
    const TransportOptions& options) {
  std::vector<Wrap> wraps = options.wraps;
  if (environment.link_table >= 0) {
    wraps.push_back(shape_links(environment.link_table));
  }
  if (options.packs) wraps.push_back(pack_messages());
  return wraps;
}

std::unique_ptr<Transport> make_transport(
    const std::string& name,
    const LaunchEnvironment& environment,
    const TransportOptions& options) {
  const Maker& maker = find_maker(name, environment, options);
  return wrap(
      maker.make(environment, options.deadline),
      make_wraps(environment, options),
      Deadline::after(options.deadline));
}

std::unique_ptr<Edges> make_edges(
    const std::string& name,
    const LaunchEnvironment& environment,
    std::vector<int> neighbours,
    const TransportOptions& options) {
  const Maker& maker = find_maker(name, environment, options);
  if (maker.make_edges != nullptr) {
    return maker.make_edges(environment, std::move(neighbours), options);
  }
  return make_fixed_edges(
      make_transport(name, environment, options),
      std::move(neighbours));
}

} // namespace grapevine::transport
