#include "transport/c10d/gloo_parts.h"
#include "transport/edges/linked_edges.h"
#include "transport/edges/near_connector.h"
#include "transport/edges/packed_connector.h"
#include "transport/edges/shaped_connector.h"

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
  std::shared_ptr<Board> board =
      open_gloo_board(environment, Deadline::after(options.deadline));
  std::shared_ptr<Connector> connector =
      make_gloo_connector(environment, board);
  // Limited links stand for a network, also between workers of one machine.
  const bool limits_links = environment.link_table >= 0;
  if (limits_links) {
    connector = shape_links(std::move(connector), environment.link_table);
  }
  if (options.packs) connector = pack_messages(std::move(connector));
  if (!limits_links) connector = move_pairs_near(std::move(connector));
  return make_linked_edges(
      std::move(board),
      std::move(connector),
      {.name = "gloo",
       .rank = environment.rank,
       .size = environment.size,
       .neighbours = std::move(neighbours),
       .connect_seconds = std::min(options.deadline, kLongestConnect)});
}

} // namespace grapevine::transport
