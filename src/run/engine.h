// What advances a run, round by round. A round is n gradients: a step of all
// workers, or, where workers take no steps together, as many gradients of
// theirs (in a process of its own, a worker counts one of its own as a round).
//
// Three engines implement it (run/engines/); Run (run/run.h) drives one of
// them: it keeps records and time, probes, evaluates, writes checkpoints and
// makes the result, the same for all.
//
// Unless it says otherwise, every function is collective over the processes
// of the run, and called from one thread.
#pragma once

#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/step_measures.h"
#include "run/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::run {

// One round that is done.
struct Round {
  graph::StepTime moment; // its number, from 0
  // Of the run, where `moment` counts a worker's own gradients.
  std::optional<int64_t> of_run;
  double lr = 0;
  double degree = 0;
  std::vector<double> losses; // of each hosted worker
  std::optional<double> virtual_seconds;
  // The number under which it is to be probed.
  std::optional<int64_t> probe;
  bool ends_epoch = false;
  bool is_last = false;
};

// What this process would like to happen after a round.
struct Wishes {
  bool interrupt = false;
  bool checkpoint = false;       // by its clock
  std::vector<bool> is_diverged; // of each hosted worker
};

// What happens.
struct Verdict {
  std::optional<Outcome> stop;
  bool checkpoint = false;
};

// What a run has come to, over all its workers.
struct Ending {
  Outcome outcome = Outcome::kCompleted;
  int64_t steps = 0;
  double train_loss = 0;
  mix::Traffic traffic; // earlier attempts included
  double samples = 0;   // trained on, earlier attempts included
  std::optional<double> averagings_per_gradient;
  std::optional<double> virtual_seconds;
  bool has_best = true; // the context's best is that of all workers
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Takes up the newest usable checkpoint, if any.
  virtual void resume() = 0;
  // Does what comes before the first round of this attempt.
  virtual void begin() {}

  // Rounds done, earlier attempts included. Not collective.
  virtual int64_t rounds() const = 0;
  // The same of the run as a whole, as far as it is known here.
  virtual int64_t rounds_of_run() const { return rounds(); }
  // Neighbours of a worker in the next round. Not collective.
  virtual double degree() const = 0;
  // Sent so far by the hosted workers in this attempt. Not collective.
  virtual mix::Traffic traffic() const = 0;
  virtual std::string transport() const = 0;

  // Computes the next round; nothing where the run is at its end.
  virtual std::optional<Round> advance() = 0;
  // Agrees with the other processes, as far as that is possible without
  // waiting for them.
  virtual Verdict agree(const Wishes& wishes, const Round& round) = 0;
  // The mean loss of an epoch: sums over its rounds, of each hosted worker.
  virtual double epoch_loss(
      const std::vector<double>& sums,
      int64_t rounds) = 0;

  // All workers, while they can be asked something together; else null.
  virtual mix::Cluster* cluster() = 0;
  // Between these two, the arenas of the hosted workers show the replicas as
  // they are now, wherever the engine keeps them.
  virtual void show() {}
  virtual void hide() {}
  // Of each hosted worker, tensor by tensor: in a round that is probed.
  virtual std::vector<mix::StepMeasures::Squares> squares() = 0;
  // Evaluates the hosted replica by itself, beside the training. Called where
  // there is no cluster.
  virtual void evaluate_apart(const Round& /*round*/) {}

  // Records what only this engine knows: with a probe, and of the time since
  // the last call at the end of an epoch. distance: from consensus, if known.
  virtual void log_probe(
      const Round& /*round*/,
      std::optional<double> /*distance*/) {}
  virtual void log_epoch() = 0;

  // Writes a checkpoint that resume() takes up. state: what Run wants to have
  // stored with it.
  virtual void write_checkpoint(nlohmann::json state) = 0;

  // Ends the run: finds out what all workers have come to, and calls `finish`
  // with it, while the cluster is there; perhaps again, with those that are
  // left, where workers are lost meanwhile. Returns the result.
  using Finish = std::function<TrainResult(const Ending&)>;
  virtual TrainResult end(Outcome outcome, const Finish& finish) = 0;
  // In `finish`, in this order: records the end of training; of a completed
  // run, makes all replicas the mean, where the run is to leave that, and
  // stores them.
  virtual void log_end(double /*distance*/) {}
  virtual void average(std::span<const float> /*mean*/) {}
  virtual void store_result(const nlohmann::json& state);
};

// Shows an engine's replicas as long as it lives.
class Shown {
 public:
  explicit Shown(Engine& engine) : engine_(engine) { engine_.show(); }
  ~Shown() { engine_.hide(); }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  Engine& engine_;
};

} // namespace grapevine::run
