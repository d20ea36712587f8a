// The records of a run: every type of line that a run of any kind writes, in
// one place. docs/formats.md specifies them; the file is a RecordWriter.
//
// Any thread.
#pragma once

#include "gossip/averager.h"
#include "gossip/statistics.h"
#include "mix/cluster.h"
#include "record/record_writer.h"
#include "record/spans.h"
#include "run/engine.h"
#include "run/evaluator.h"
#include "run/run_config.h"
#include "run/timeline_row.h"
#include "tensor/layout.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::run {

class Log {
 public:
  Log(const std::filesystem::path& file, const RunConfig& config, int attempt);

  // "attempt", the first record of one: who is hosted here, and what of.
  // own_steps: each worker counts its own gradients.
  void attempt(
      int64_t step,
      const std::vector<int>& hosted,
      const std::string& transport,
      const tensor::Layout& layout,
      bool own_steps);
  // traffic: sent in this attempt so far.
  void step(const Round& round, const mix::Traffic& traffic, double seconds);
  // What the next step's traffic is counted from.
  void set_traffic(const mix::Traffic& traffic) { last_traffic_ = traffic; }

  // "norms": of each hosted worker. rows: the tensors' norms, then their
  // gradients', then the ratios of their updates to themselves.
  void norms(
      const Round& round,
      const mix::Rows& rows,
      const std::vector<double>& gradient_norms);
  // "dispersion": rows of all workers, as above.
  void dispersion(
      const graph::StepTime& moment,
      const mix::Rows& rows,
      double consensus_distance);
  void density(int64_t step, double spread, double level, int k);

  void evaluation(
      const Evaluation& evaluation,
      const graph::StepTime& moment,
      double seconds,
      double train_loss);
  // "replica_evaluation": an asynchronous worker's own.
  void replica_evaluation(
      const graph::StepTime& moment,
      int64_t round,
      double seconds,
      double accuracy,
      double loss);

  // Moments are those of the last step before.
  void spans(const record::Spans& spans, const graph::StepTime& moment);
  // "waits": of a worker by peer.
  void waits(
      const graph::StepTime& moment,
      int worker,
      const std::vector<double>& seconds);
  void timeline(int64_t step, int worker, const std::vector<TimelineRow>& rows);

  // "gossip": what asynchronous workers have done and waited for so far; where
  // each worker has a process, with what it alone knows.
  struct OwnGossip {
    double seconds = 0;
    double rounds = 0;
    std::optional<std::span<const float>> parameters; // to be sketched
    bool is_last = false;
  };
  void gossip(
      const graph::StepTime& moment,
      const std::vector<gossip::Statistics>& workers,
      std::optional<double> consensus_distance,
      const std::optional<OwnGossip>& own = std::nullopt);
  // "pairs": whom a worker has averaged with so far, and for how long.
  void pairs(
      const graph::StepTime& moment,
      int worker,
      const gossip::Statistics& statistics);
  void membership(
      int64_t step,
      const std::vector<gossip::MembershipChange>& changes);
  // "end": of an asynchronous run in processes.
  void end(
      const std::vector<int>& members,
      const std::vector<int64_t>& gradients);

  void append(const nlohmann::json& record) { writer_.append(record); }
  void flush() { writer_.flush(); }

 private:
  const RunConfig& config_;
  int attempt_;
  record::RecordWriter writer_;
  mix::Traffic last_traffic_;
};

} // namespace grapevine::run
