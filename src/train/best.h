// The best evaluation of a run so far, by the averaged model: the highest
// accuracy, or, of text, the lowest loss.
#pragma once

#include "train/evaluator.h"
#include "train/trainer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace grapevine::train {

class Best {
 public:
  // Of an epoch, from 1. Whether it is better than all before; what is not a
  // number never is.
  bool offer(const Evaluation& evaluation, int64_t epoch);

  // Evaluations since the best one.
  int64_t since() const { return since_; }
  void add_to(TrainResult& result) const;

  // For checkpoints.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  int64_t epoch_ = 0; // 0: none yet
  double accuracy_ = 0;
  double loss_ = 0;
  bool is_text_ = false;
  int64_t since_ = 0;
};

} // namespace grapevine::train
