// The best evaluation of a run so far: the highest accuracy, or, of text, the
// lowest loss.
#pragma once

#include "record/run_directory.h"
#include "run/evaluator.h"
#include "run/run_config.h"
#include "run/trainer.h"
#include "tensor/arena.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace grapevine::run {

// How good a model is.
struct Quality {
  double accuracy = 0;
  double loss = 0;
  bool is_text = false;
};

Quality quality_of_mean(const Evaluation& evaluation);

class Best {
 public:
  // Nothing where the spec asks for neither the best model nor an early end.
  static std::optional<Best> wanted_by(const spec::Spec& spec);

  // patience: evaluations without a better one that it bears; 0 = any number.
  explicit Best(int64_t patience) : patience_(patience) {}

  // Of an epoch, from 1. Whether it is better than all before; what is not a
  // number never is.
  bool offer(const Quality& quality, int64_t epoch);

  // Too many evaluations have been no better.
  bool gives_up() const { return patience_ > 0 && since_ >= patience_; }
  int64_t epoch() const { return epoch_; } // 0: none yet
  const Quality& quality() const { return quality_; }
  void add_to(TrainResult& result) const;

  // For checkpoints.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

 private:
  int64_t patience_;
  int64_t epoch_ = 0;
  Quality quality_;
  int64_t since_ = 0; // evaluations
};

// As `grapevine export` writes one; the model of so many steps.
void write_best_model(
    const record::RunDirectory& directory,
    const RunConfig& config,
    const tensor::Arena& arena,
    int64_t steps);

// Offers an evaluation after so many steps; whether its averaged model is the
// best so far and the spec wants it kept.
bool is_to_be_kept(
    Best& best,
    const RunConfig& config,
    const Evaluation& evaluation,
    int64_t steps);

} // namespace grapevine::run
