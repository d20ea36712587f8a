#include "base/give_way.h"

#include <sys/resource.h>

namespace grapevine {

void give_way() {
  // On Linux a thread has a priority of its own, and this is the calling one's.
  constexpr int kThisThread = 0;
  // A tenth of the share of a thread that does not give way.
  constexpr int kLower = 10;
  const int now = getpriority(PRIO_PROCESS, kThisThread);
  setpriority(PRIO_PROCESS, kThisThread, now + kLower);
}

} // namespace grapevine
