// One run, from a spec to a run directory.
//
// The same code serves a virtual cluster (this process hosts all n workers)
// and a process of a real one (it hosts worker `rank`): see mix/cluster.h.
#pragma once

#include "net/launch_environment.h"
#include "run/result.h"
#include "spec/spec.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::run {

// What a person wants to see while it runs. Only process 0 reports.
struct Progress {
  int64_t step = 0; // done
  int64_t steps = 0;
  int64_t epoch = 0; // the one that is being trained, from 1
  int64_t epochs = 0;
  double loss = 0;                     // mean of the last steps
  std::optional<double> test_accuracy; // last evaluation
  std::optional<double> averaged_model_accuracy;
  std::optional<double> test_perplexity; // of language models
  double degree = 0;
  double samples_per_second = 0;
  double seconds_left = 0;
  std::string phase; // "training", "evaluating", "resuming from step 57", …
};

struct TrainHooks {
  // Where data sets are looked for; see data/locate.h.
  std::vector<std::string> data_path = {"/usr/share/datasets"};
  std::function<void(const Progress&)> on_progress; // at most ~10 a second
  std::function<void(const std::string&)> on_note;  // warnings, a line each
  // Set to true by a signal handler: checkpoint and end as interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  // On the one process that is to tell the result, which is complete there, as
  // soon as it is sure: an asynchronous run tells it before its processes leave
  // each other, on which way one more may die.
  std::function<void(const TrainResult&)> on_result;
};

// Trains (or returns the stored result of a finished run, or resumes an
// interrupted one). Throws ConfigError before anything starts, IoError and
// TransportError when the world fails; run.json then says "failed" and why.
TrainResult train(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment,
    const TrainHooks& hooks = {});

// True on the process that should show how it goes. Who tells the result is
// known at the end: TrainHooks::on_result.
bool is_reporting_process(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment);

// Evaluates the last checkpoint of a run again (every replica and the averaged
// model), on the whole test set if eval_full.
TrainResult evaluate_run(
    const std::filesystem::path& run,
    bool eval_full,
    const std::vector<std::string>& data_path);

// Writes the averaged model of a run's last checkpoint (safetensors, PyTorch's
// parameter names, buffers included). Returns the number of tensors.
int64_t export_run(
    const std::filesystem::path& run,
    const std::filesystem::path& file,
    const std::vector<std::string>& data_path);

} // namespace grapevine::run
