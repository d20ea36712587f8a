// The best evaluation of a run so far: the highest accuracy, or, of text, the
// lowest loss; and, where nobody else keeps it, the model that had it.
#pragma once

#include "record/run_directory.h"
#include "record/safetensors.h"
#include "run/evaluator.h"
#include "run/result.h"
#include "run/run_config.h"
#include "tensor/arena.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace grapevine::run {

// How good a model is.
struct Quality {
  double accuracy = 0;
  double loss = 0;
  bool is_text = false;
};

Quality quality_of_mean(const Evaluation& evaluation);

// Any thread: an asynchronous worker's evaluations run beside its training.
class Best {
 public:
  struct State {
    int64_t epoch = 0; // from 1; 0: none yet
    Quality quality;
    int64_t since = 0; // evaluations that were no better
  };

  // By --early-stop and --keep-best; with neither it stays empty.
  explicit Best(const spec::Spec& spec)
      : patience_(spec.early_stop),
        keeps_(spec.keep_best) {}

  bool is_wanted() const { return patience_ > 0 || keeps_; }
  // Takes an evaluation in this epoch, from 1. Returns whether it is better
  // than all before and its model is to be kept; what is not a number never
  // is. values: copied then, if given.
  bool offer(
      const Quality& quality,
      int64_t epoch,
      const tensor::Arena* values = nullptr);
  // Whether as many evaluations as --early-stop says were no better.
  bool gives_up() const;
  State state() const;
  void set_state(const State& state);
  void add_to(TrainResult& result) const;
  // Copies the values into another arena; false where there are none.
  bool put_into(tensor::Arena& arena) const;

  // For a manifest, and back.
  nlohmann::json to_json() const;
  void restore(const nlohmann::json& json);

  // For a worker's own checkpoint: a copy with its values; and back, for
  // planes of the arena's sizes, from a file that may have none. IoError.
  struct Stored {
    std::string state; // JSON
    std::vector<float> parameters;
    std::vector<float> buffers;
    // Adds it to what is written; borrowed.
    void add_to(
        std::vector<record::TensorView>& planes,
        record::Metadata& metadata) const;
  };
  Stored stored() const;
  void restore(const record::Safetensors& file, const tensor::Arena& arena);

 private:
  const int64_t patience_;
  const bool keeps_;
  mutable std::mutex mutex_;
  // Guarded by mutex_. Values are empty where there are none.
  State state_;
  std::vector<float> parameters_;
  std::vector<float> buffers_;
};

bool is_better(const Quality& quality, const Best::State& than);

// Writes a model as `grapevine export` does, after so many steps.
void write_model(
    const std::filesystem::path& file,
    const spec::Spec& spec,
    const tensor::Arena& arena,
    int64_t steps);

} // namespace grapevine::run
