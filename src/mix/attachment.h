// Arenas that a cluster works on for as long as this lives.
#pragma once

#include "mix/cluster.h"

#include <exception>
#include <vector>

namespace grapevine::mix {

// Destroyed before the arenas. In good order that is collective, since what is
// under way comes to its end; where an exception passes, it is given up.
class Attachment {
 public:
  Attachment(Cluster& cluster, std::vector<tensor::Arena*> arenas)
      : cluster_(cluster) {
    cluster_.attach(std::move(arenas));
  }
  ~Attachment() {
    try {
      if (std::uncaught_exceptions() > exceptions_) cluster_.abandon();
      cluster_.detach();
    } catch (...) {
      // The next to use the cluster is told.
    }
  }
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Cluster& cluster_;
  int exceptions_ = std::uncaught_exceptions();
};

} // namespace grapevine::mix
