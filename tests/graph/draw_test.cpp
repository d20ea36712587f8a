#include "graph/draw.h"

#include "test_graphs.h"

namespace grapevine::graph {
namespace {

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size())) {
    ++found;
  }
  return found;
}

TEST(DrawSvg, HasEveryWorkerAndEdgeOnce) {
  const auto svg =
      draw_svg(*first_of({.name = "torus", .n = 12}), {.title = "torus"});
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_EQ(count(svg, "<circle"), 12);
  EXPECT_EQ(count(svg, "M"), 24 + 1); // 24 edges and the arrow head
  EXPECT_NE(svg.find("torus, n = 12, degree 4"), std::string::npos);
  EXPECT_EQ(count(svg, "url(#a)"), 0);
}

TEST(DrawSvg, ShowsDirections) {
  const auto svg = draw_svg(*first_of({.name = "exponential", .n = 10}));
  // 10 x (1, 2, 4, 8), of which 2 and 8 are each other's opposite.
  EXPECT_EQ(count(svg, "url(#a)"), 20);
}

TEST(DrawSvg, NumbersSmallGraphsOnly) {
  EXPECT_EQ(count(draw_svg(Mixing::complete(64)), "<text"), 65);
  EXPECT_EQ(count(draw_svg(Mixing::complete(65)), "<text"), 1);
}

TEST(DrawSvg, StaysSmallForDenseGraphs) {
  for (const int n : {1, 2, 200, 1008, 4096}) {
    for (const auto& mixing :
         {Mixing::complete(n), Mixing::lattice(n, n / 4 * 2)}) {
      EXPECT_LT(draw_svg(mixing).size(), 1'000'000u);
    }
  }
  const auto svg = draw_svg(Mixing::complete(1008));
  EXPECT_NE(svg.find("edges of one worker in"), std::string::npos);
}

TEST(DrawSvg, EscapesTheTitle) {
  const auto svg = draw_svg(Mixing::complete(2), {.title = "a<b & c"});
  EXPECT_EQ(count(svg, "a&lt;b &amp; c"), 2);
}

} // namespace
} // namespace grapevine::graph
