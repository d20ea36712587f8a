// A drawing of one step's graph.
#pragma once

#include "graph/mixing.h"

#include <string>

namespace grapevine::graph {

struct DrawOptions {
  std::string title = {}; // such as the graph's name; first in the caption
  int size_px = 640;      // width of the picture
};

// A self-contained SVG: workers on a circle, worker 0 on top, clockwise;
// arrows where the mixing is directed; a caption with title, n and degree.
// Colours hold on light and dark backgrounds. Workers are numbered up to
// n = 64. A graph of very many edges is drawn in part, and the caption says
// so.
std::string draw_svg(const Mixing& mixing, const DrawOptions& options = {});

} // namespace grapevine::graph
