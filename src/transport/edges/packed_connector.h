// A connector whose parties pack what they send (transport/packed/).
#pragma once

#include "transport/edges/connector.h"

#include <memory>

namespace grapevine::transport {

std::shared_ptr<Connector> pack_messages(std::shared_ptr<Connector> inner);

} // namespace grapevine::transport
