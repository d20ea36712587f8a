#include "base/transport_table.h"
#include "net/transports.h"
#include "net/wraps.h"

#include <fmt/format.h>

namespace grapevine::net {
namespace {

struct Maker {
  const TransportEntry* entry;
  std::unique_ptr<Transport> (*make)(
      const LaunchEnvironment& environment,
      std::chrono::duration<double> deadline);
};

constexpr Maker kMakers[] = {
    {&kMpi,
     [](const LaunchEnvironment&, std::chrono::duration<double>) {
       return make_mpi_transport();
     }},
    {&kGloo, make_gloo_transport}};

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

void check_transport(
    const std::string& name,
    const LaunchEnvironment& environment,
    const TransportOptions& options) {
  find_maker(name, environment, options);
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

} // namespace grapevine::net
