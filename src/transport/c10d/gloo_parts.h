// What linked edges (transport/edges/) need of Gloo. Without torch, so that the
// layer's other sources may include it.
#pragma once

#include "transport/edges/board.h"
#include "transport/edges/connector.h"
#include "transport/launch_environment.h"

#include <memory>

namespace grapevine::transport {

// The store that the environment names. One that was lost is looked for again,
// at most once a second, unless this worker serves it. Throws as
// make_gloo_transport does.
std::unique_ptr<Board> open_gloo_board(
    const LaunchEnvironment& environment,
    Deadline deadline);

// A process group for each party, whose members find each other through the
// board. They share one device, so one thread serves all their connections;
// c10d adds an idle one to each group.
std::unique_ptr<Connector> make_gloo_connector(
    const LaunchEnvironment& environment,
    std::shared_ptr<Board> board);

} // namespace grapevine::transport
