// Plans by mixing: a schedule repeats itself, so its plans are made once.
#pragma once

#include "comm/plan.h"
#include "graph/mixing.h"

#include <cstdint>
#include <map>
#include <memory>

namespace grapevine::cluster {

class PlanCache {
 public:
  PlanCache(int64_t model_bytes, int workers_per_node)
      : model_bytes_(model_bytes),
        workers_per_node_(workers_per_node) {}

  std::shared_ptr<const comm::Plan> get(const graph::Mixing& mixing) {
    auto found = plans_.find(mixing.digest());
    if (found == plans_.end()) {
      // Random matchings never repeat; what is old goes.
      if (plans_.size() >= kMost) plans_.clear();
      found = plans_
                  .emplace(
                      mixing.digest(),
                      comm::make_plan(mixing, model_bytes_, workers_per_node_))
                  .first;
    }
    return found->second;
  }

 private:
  static constexpr size_t kMost = 256;
  int64_t model_bytes_;
  int workers_per_node_;
  std::map<uint64_t, std::shared_ptr<const comm::Plan>> plans_;
};

} // namespace grapevine::cluster
