#include "sim/matchings.h"

#include "base/check.h"

namespace grapevine::sim {

int matching_rounds(int n) {
  if (n < 2) return 0;
  return n % 2 == 0 ? n - 1 : n;
}

// The circle: the last of an even number stays, the others turn round it. An
// odd number turns round nobody.
std::vector<int> matching(int n, int round) {
  GV_CHECK(round >= 0 && round < matching_rounds(n));
  const int circle = n % 2 == 0 ? n - 1 : n;
  std::vector<int> partner(n, -1);
  for (int i = 0; i < circle; ++i) {
    const int other = ((round - i) % circle + circle) % circle;
    partner[i] = other == i ? -1 : other;
  }
  if (n % 2 == 0) {
    for (int i = 0; i < circle; ++i) {
      if (partner[i] >= 0) continue;
      partner[i] = n - 1;
      partner[n - 1] = i;
    }
  }
  return partner;
}

} // namespace grapevine::sim
