#include "graph/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

namespace grapevine::graph {
namespace {

constexpr int kMaxNumbered = 64;
constexpr int kMaxArrows = 64;
constexpr int64_t kMaxEdges = 6000;

struct Edge {
  int from;
  int to;
  bool two_way;
};

struct Point {
  double x;
  double y;
};

struct Canvas {
  double size;
  double node_radius;
  int n;

  Point place(int i, double radius) const {
    const double angle = 2 * std::numbers::pi * i / n - std::numbers::pi / 2;
    return {
        size / 2 + radius * std::cos(angle),
        size / 2 + radius * std::sin(angle)};
  }
  double circle_radius() const { return size * 0.42; }
};

// Larger graphs have smaller dots, which at most touch.
double node_radius(double size, int n) {
  const double room = std::numbers::pi * size * 0.42 / n;
  return std::clamp(room * 0.7, 0.8, size / 48);
}

int64_t count_terms(const Mixing& mixing) {
  int64_t count = 0;
  for (int i = 0; i < mixing.n(); ++i)
    count += mixing.degree(i);
  return count;
}

// Every how many workers one is drawn with its edges.
int stride_of(const Mixing& mixing) {
  return static_cast<int>(count_terms(mixing) / 2 / kMaxEdges + 1);
}

bool is_receiver(const std::vector<int>& receivers, int j) {
  return std::binary_search(receivers.begin(), receivers.end(), j);
}

std::vector<Edge> edges_of(const Mixing& mixing, int stride) {
  std::vector<Edge> edges;
  for (int i = 0; i < mixing.n(); i += stride) {
    const auto receivers = mixing.receivers(i);
    for (const Term& term : mixing.row(i)) {
      const int j = term.rank;
      if (j == i) continue;
      const bool two_way = is_receiver(receivers, j);
      // The other end draws it.
      if (two_way && j < i && j % stride == 0) continue;
      edges.push_back({j, i, two_way});
    }
  }
  return edges;
}

// The point short of `to` by a dot's radius, so that arrow heads show.
Point short_of(Point from, Point to, double gap) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double share = length > gap ? gap / length : 0;
  return {to.x - (to.x - from.x) * share, to.y - (to.y - from.y) * share};
}

std::string segment(const Canvas& canvas, const Edge& edge) {
  const Point a = canvas.place(edge.from, canvas.circle_radius());
  const Point b = short_of(
      a,
      canvas.place(edge.to, canvas.circle_radius()),
      edge.two_way ? 0 : canvas.node_radius + 1);
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x, a.y, b.x, b.y);
}

// The more edges cross, the fainter each is.
double edge_opacity(size_t edges) {
  return std::clamp(
      12.0 / std::sqrt(static_cast<double>(edges) + 1),
      0.12,
      0.8);
}

double edge_width(size_t edges) {
  return std::clamp(40.0 / std::sqrt(static_cast<double>(edges) + 1), 0.4, 1.8);
}

void append_path(std::string& svg, const std::string& path, bool arrow) {
  if (path.empty()) return;
  fmt::format_to(
      std::back_inserter(svg),
      "<path class=\"e\"{} d=\"{}\"/>\n",
      arrow ? " marker-end=\"url(#a)\"" : "",
      path);
}

// One path a worker: a single one for all would have one opacity, which hides
// where edges crowd, and takes renderers minutes. Arrows need one an edge.
void append_edges(
    std::string& svg,
    const Canvas& canvas,
    const std::vector<Edge>& edges) {
  std::string path;
  for (size_t e = 0; e < edges.size(); ++e) {
    if (!edges[e].two_way && canvas.n <= kMaxArrows) {
      append_path(svg, segment(canvas, edges[e]), true);
    } else {
      path += segment(canvas, edges[e]);
    }
    const bool last = e + 1 == edges.size() || edges[e + 1].to != edges[e].to;
    if (last) append_path(svg, std::exchange(path, {}), false);
  }
}

void append_workers(std::string& svg, const Canvas& canvas) {
  for (int i = 0; i < canvas.n; ++i) {
    const Point p = canvas.place(i, canvas.circle_radius());
    fmt::format_to(
        std::back_inserter(svg),
        "<circle class=\"w\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n",
        p.x,
        p.y,
        canvas.node_radius);
    if (canvas.n > kMaxNumbered) continue;
    const Point label = canvas.place(i, canvas.size * 0.465);
    fmt::format_to(
        std::back_inserter(svg),
        "<text x=\"{:.1f}\" y=\"{:.1f}\" dy=\"0.35em\">{}</text>\n",
        label.x,
        label.y,
        i);
  }
}

std::string escape(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string
caption_of(const Mixing& mixing, const DrawOptions& options, int stride) {
  std::string caption = options.title.empty() ? "" : options.title + ", ";
  caption += fmt::format("n = {}, degree {}", mixing.n(), mixing.degree());
  if (stride > 1) {
    caption += fmt::format(" (edges of one worker in {} drawn)", stride);
  }
  return escape(caption);
}

} // namespace

std::string draw_svg(const Mixing& mixing, const DrawOptions& options) {
  const double size = options.size_px;
  const Canvas canvas = {size, node_radius(size, mixing.n()), mixing.n()};
  const int stride = stride_of(mixing);
  const auto edges = edges_of(mixing, stride);
  const double height = size + 36;
  const std::string caption = caption_of(mixing, options, stride);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
      "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
      "<title>{2}</title>\n"
      "<style>.e{{stroke:#3d8bd1;stroke-width:{3:.2f};stroke-opacity:{4:.2f};"
      "fill:none}}.w{{fill:#e0852d}}text{{font:12px "
      "sans-serif;fill:#808080;text-anchor:middle}}</style>\n"
      "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
      "markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" "
      "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#3d8bd1\"/></marker>"
      "</defs>\n",
      size,
      height,
      caption,
      edge_width(edges.size()),
      edge_opacity(edges.size()));
  append_edges(svg, canvas, edges);
  append_workers(svg, canvas);
  fmt::format_to(
      std::back_inserter(svg),
      "<text x=\"{:.1f}\" y=\"{:.1f}\" style=\"font-size:15px\">{}</text>\n"
      "</svg>\n",
      size / 2,
      height - 14,
      caption);
  return svg;
}

} // namespace grapevine::graph
