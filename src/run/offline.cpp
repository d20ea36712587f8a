// What can be done with a run that has ended: evaluate it again, export it.
#include "base/thread_pool.h"
#include "mix/cluster.h"
#include "record/checkpoint.h"
#include "record/run_directory.h"
#include "run/best.h"
#include "run/evaluator.h"
#include "run/planes.h"
#include "run/replicas.h"
#include "run/run_config.h"
#include "run/trainer.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <thread>

namespace grapevine::run {
namespace {

// The workers of a run's newest checkpoint, as a virtual cluster.
class StoredRun {
 public:
  StoredRun(
      const std::filesystem::path& path,
      const std::vector<std::string>& data_path)
      : directory_(path),
        pool_(
            std::max(1, static_cast<int>(std::thread::hardware_concurrency())),
            use_one_torch_thread),
        config_(make_run_config(read_spec(directory_), data_path)) {
    for (int rank = 0; rank < config_.spec.n; ++rank) {
      Worker& worker = workers_.emplace_back(config_.worker_options());
      arenas_.push_back(&worker.arena());
    }
    cluster_ = mix::make_virtual_cluster(config_.spec.n, pool_);
    restore();
    cluster_->attach(arenas_);
  }

  const RunConfig& config() const { return config_; }
  mix::Cluster& cluster() { return *cluster_; }
  std::vector<Worker>& workers() { return workers_; }
  int64_t step() const { return checkpoint_.step; }
  const record::RunDirectory& directory() const { return directory_; }
  const nlohmann::json& state() const { return checkpoint_.state; }

 private:
  void restore() {
    const record::Checkpoints checkpoints(directory_);
    const int n = config_.spec.n;
    const auto state_planes = config_.state_planes();
    const auto restore_workers = [&](const record::CheckpointInfo& candidate) {
      for (int rank = 0; rank < n; ++rank) {
        restore_planes(
            checkpoints.read_worker(candidate, rank),
            state_planes,
            *arenas_[rank]);
      }
    };
    const auto newest = restore_newest(checkpoints, *cluster_, restore_workers);
    if (!newest) {
      throw IoError(fmt::format(
          "{} has no checkpoint{}",
          directory_.path().string(),
          checkpoints.has_own(0)
              ? " of all workers: an asynchronous run has one once it has "
                "ended; resume it with the command that started it"
              : ""));
    }
    checkpoint_ = *newest;
  }

  static spec::Spec read_spec(const record::RunDirectory& directory) {
    if (!directory.exists()) {
      throw ConfigError(fmt::format(
          "{} is not a run directory (no run.json)",
          directory.path().string()));
    }
    return spec::parse_spec(
               directory.read_spec(),
               directory.spec_file().string(),
               {})
        .spec;
  }

  record::RunDirectory directory_;
  ThreadPool pool_;
  RunConfig config_;
  record::CheckpointInfo checkpoint_;
  std::vector<Worker> workers_;
  std::vector<tensor::Arena*> arenas_;
  std::unique_ptr<mix::Cluster> cluster_;
};

// Of itself, where it came to an end; of one that did not, little is known.
TrainResult what_training_said(const StoredRun& stored) {
  const auto json = stored.directory().read_run();
  if (json && json->contains("result")) {
    return result_from_json(json->at("result"));
  }
  TrainResult result;
  const bool failed = json && json->value("outcome", "") == "failed";
  result.outcome = failed ? Outcome::kFailed : Outcome::kInterrupted;
  result.train_loss = std::nan("");
  result.samples_per_second = std::nan("");
  result.seconds = std::nan("");
  result.messages = stored.state().value("messages", int64_t{0});
  result.bytes = stored.state().value("bytes", int64_t{0});
  return result;
}

} // namespace

TrainResult evaluate_run(
    const std::filesystem::path& run,
    bool eval_full,
    const std::vector<std::string>& data_path) {
  use_one_torch_thread();
  StoredRun stored(run, data_path);
  const RunConfig& config = stored.config();
  Worker spare(config.worker_options());
  EvaluatorOptions options = evaluator_options(config);
  options.full |= eval_full;
  Evaluator evaluator(stored.workers(), spare, *config.dataset.test, options);
  Evaluation evaluation = evaluator.evaluate(stored.cluster());
  evaluator.translate(stored.cluster(), evaluation);
  TrainResult result = what_training_said(stored);
  result.run = run.string();
  result.steps = stored.step();
  result.epochs = stored.step() / config.steps_per_epoch();
  add_evaluation(evaluation, result);
  result.consensus_distance = consensus_distance(
      stored.cluster(),
      stored.workers(),
      spare.arena().parameters());
  result.parameters_sha256 = stored.cluster().parameters_sha256();
  return result;
}

int64_t export_run(
    const std::filesystem::path& run,
    const std::filesystem::path& file,
    const std::vector<std::string>& data_path) {
  use_one_torch_thread();
  StoredRun stored(run, data_path);
  Worker average(stored.config().worker_options());
  stored.cluster().mean(algo::Plane::kParameters, average.arena().parameters());
  stored.cluster().mean(algo::Plane::kBuffers, average.arena().buffers());
  write_model(file, stored.config().spec, average.arena(), stored.step());
  return static_cast<int64_t>(named_tensors(average.arena()).size());
}

} // namespace grapevine::run
