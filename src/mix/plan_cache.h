// Plans by mixing: a schedule repeats itself, so its plans are made once.
#pragma once

#include "base/lru_cache.h"
#include "graph/mixing.h"
#include "mix/plan.h"

#include <cstdint>
#include <memory>

namespace grapevine::mix {

class PlanCache {
 public:
  PlanCache(int64_t model_bytes, int workers_per_node)
      : model_bytes_(model_bytes),
        workers_per_node_(workers_per_node) {}

  std::shared_ptr<const mix::Plan> get(const graph::Mixing& mixing) {
    return plans_.get(mixing.digest(), [&] {
      return mix::make_plan(mixing, model_bytes_, workers_per_node_);
    });
  }

 private:
  int64_t model_bytes_;
  int workers_per_node_;
  LruCache<uint64_t, std::shared_ptr<const mix::Plan>> plans_{256};
};

} // namespace grapevine::mix
