// What a run of any kind has, and what Run and its engine share.
#pragma once

#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "record/spans.h"
#include "run/best.h"
#include "run/clock.h"
#include "run/log.h"
#include "run/run_config.h"
#include "run/trainer.h"
#include "run/worker.h"

#include <nlohmann/json_fwd.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::run {

struct RunContext {
  // hosted: ranks of the workers that this process trains, ascending. The
  // config and the hooks are borrowed.
  RunContext(
      const RunConfig& config,
      std::vector<int> hosted,
      record::RunDirectory directory,
      int attempt,
      const TrainHooks& hooks);

  bool is_root() const { return hosted.front() == 0; }
  void note(const std::string& text) const {
    if (hooks.on_note) hooks.on_note(text);
  }
  // The moment of the last of so many steps.
  graph::StepTime last_moment(int64_t steps) const {
    return config.moment(std::max<int64_t>(steps - 1, 0));
  }
  // Takes back what Run stores in every manifest.
  void restore(const nlohmann::json& state);

  const RunConfig& config;
  const std::vector<int> hosted;
  const record::RunDirectory directory;
  const record::Checkpoints checkpoints;
  const int attempt; // above that of any attempt that has left records
  const TrainHooks& hooks;

  std::vector<Worker> workers;      // the hosted ones
  Worker spare;                     // holds the averaged model
  std::vector<record::Spans> spans; // of each hosted worker
  Log log;
  RunClock clock;
  Best best;

  // Sums of each hosted worker over so many rounds of the epoch so far, and
  // the mean over all workers of the last epoch; NaN before the end of one.
  std::vector<double> epoch_losses;
  int64_t epoch_rounds = 0;
  double last_train_loss = std::nan("");
};

// Returns a number of a manifest; what was not finite is null there.
double number_or_nan(const nlohmann::json& value);
std::vector<double> numbers_or_nan(const nlohmann::json& values);

} // namespace grapevine::run
