// Torus of a rows and b columns, a * b = n: worker i = r*b + c averages with
// the ones above, below, left and right, wrapping round.
//
//   x_rc <- (x_rc + x_{r-1,c} + x_{r+1,c} + x_{r,c-1} + x_{r,c+1}) / 5
//
// D_torus of DBench (arXiv 2509.12213). Without --rows as square as possible:
// a is the largest divisor of n up to sqrt(n). In a direction of length 2 both
// ways lead to the same neighbour, who then counts once; in one of length 1
// there is none. So a prime n gives the ring.
//
// Cost a step and worker: 4 messages, 4 model copies (3 where a or b is 2).
// Symmetric.
#include "graph/graphs.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace grapevine::graph {
namespace {

int squarest_rows(int n) {
  int rows = 1;
  for (int a = 1; a * a <= n; ++a) {
    if (n % a == 0) rows = a;
  }
  return rows;
}

int nearest_divisor(int n, int rows) {
  int nearest = 1;
  for (int a = 1; a <= n; ++a) {
    if (n % a == 0 && std::abs(a - rows) < std::abs(nearest - rows)) {
      nearest = a;
    }
  }
  return nearest;
}

std::vector<int> neighbours_of(int rows, int columns, int r, int c) {
  const auto at = [&](int row, int column) {
    return (row + rows) % rows * columns + (column + columns) % columns;
  };
  std::vector<int> list = {
      at(r - 1, c),
      at(r + 1, c),
      at(r, c - 1),
      at(r, c + 1)};
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  std::erase(list, at(r, c));
  return list;
}

} // namespace

Mixing make_torus(int n, int rows) {
  if (rows == 0) rows = squarest_rows(n);
  if (rows < 0 || n % rows != 0) {
    throw ConfigError(fmt::format(
        "graph torus: rows must divide n = {}, got {}; nearest that works: {}",
        n,
        rows,
        nearest_divisor(n, rows)));
  }
  const int columns = n / rows;
  // A single row or column is the ring, which is moved more cheaply as such.
  if (rows == 1 || columns == 1) return make_ring(n);
  std::vector<std::vector<int>> neighbours;
  neighbours.reserve(n);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      neighbours.push_back(neighbours_of(rows, columns, r, c));
    }
  }
  return Mixing::uniform(std::move(neighbours));
}

} // namespace grapevine::graph
