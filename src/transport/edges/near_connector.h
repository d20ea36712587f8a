// A connector whose parties of two move their bytes through shared memory where
// they are on one machine (transport/near/).
#pragma once

#include "transport/edges/connector.h"

#include <memory>

namespace grapevine::transport {

std::shared_ptr<Connector> move_pairs_near(std::shared_ptr<Connector> inner);

} // namespace grapevine::transport
