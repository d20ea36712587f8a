// A connector whose parties have the limited links of `grapevine launch --link`
// (transport/shaped/).
#pragma once

#include "transport/edges/connector.h"

#include <memory>

namespace grapevine::transport {

// `descriptor` is that of the table of links, inherited.
std::shared_ptr<Connector> shape_links(
    std::shared_ptr<Connector> inner,
    int descriptor);

} // namespace grapevine::transport
