#include "mix/find_nodes.h"

#include "base/host_name.h"
#include "mix/bytes.h"
#include "mix/collectives.h"

#include <algorithm>

namespace grapevine::mix {
namespace {

std::string to_text(const NodeClaim& claim) {
  std::string bytes;
  append(bytes, claim.place);
  append(bytes, claim.host);
  return bytes;
}

NodeClaim from_text(const std::string& bytes) {
  ByteReader reader(bytes);
  const auto place = reader.read<net::LocalPlace>();
  return {.place = place, .host = reader.text()};
}

// The nodes as the places tell them: a new one wherever the place is 0.
std::vector<int> sizes_by_place(std::span<const NodeClaim> claims) {
  std::vector<int> sizes;
  for (const NodeClaim& claim : claims) {
    if (claim.place.rank == 0) sizes.push_back(0);
    // A place that does not follow on its neighbour's: not node by node.
    if (sizes.empty() || claim.place.rank != sizes.back()) return {};
    if (claim.place.size != claims[0].place.size) return {};
    ++sizes.back();
  }
  if (sizes.back() != claims[0].place.size) return {};
  return sizes;
}

std::vector<int> sizes_by_host(std::span<const NodeClaim> claims) {
  std::vector<int> sizes;
  std::vector<std::string> hosts;
  for (const NodeClaim& claim : claims) {
    if (hosts.empty() || claim.host != hosts.back()) {
      if (std::ranges::find(hosts, claim.host) != hosts.end()) return {};
      hosts.push_back(claim.host);
      sizes.push_back(0);
    }
    ++sizes.back();
  }
  return sizes;
}

} // namespace

NodeClaim node_claim(
    const net::LaunchEnvironment& environment,
    const net::Transport& transport) {
  NodeClaim claim;
  claim.host = host_name();
  if (environment.local_place) {
    claim.place = *environment.local_place;
  } else if (const auto place = transport.local_place()) {
    claim.place = *place;
  }
  return claim;
}

int workers_per_node(std::span<const NodeClaim> claims) {
  const bool all_placed = std::ranges::all_of(claims, [](const auto& claim) {
    return claim.place.size > 0;
  });
  const std::vector<int> sizes =
      all_placed ? sizes_by_place(claims) : sizes_by_host(claims);
  const bool equal = std::ranges::all_of(sizes, [&](int size) {
    return size == sizes.front();
  });
  return sizes.size() > 1 && equal ? sizes.front() : 1;
}

int find_workers_per_node(
    Link& link,
    const net::LaunchEnvironment& environment) {
  const NodeClaim mine = node_claim(environment, link.transport());
  std::vector<NodeClaim> claims;
  for (const std::string& text : all_gather(link, to_text(mine)))
    claims.push_back(from_text(text));
  return workers_per_node(claims);
}

} // namespace grapevine::mix
