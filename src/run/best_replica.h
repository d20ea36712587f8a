// The best that a worker's own replica has been in an asynchronous run, where
// nobody has the mean of all before the end. At the end those that live compare
// theirs.
//
// Any thread: evaluations run beside the training.
#pragma once

#include "record/safetensors.h"
#include "run/best.h"
#include "tensor/arena.h"

#include <mutex>
#include <string>
#include <vector>

namespace grapevine::run {

class BestReplica {
 public:
  // keeps_values: not only how good they were.
  BestReplica(Best best, bool keeps_values)
      : keeps_values_(keeps_values),
        best_(best) {}

  // An evaluation of what is in the arena.
  void offer(const Quality& quality, int64_t epoch, const tensor::Arena& arena);
  Best best() const;
  bool gives_up() const;
  // The values into another arena; false where there are none.
  bool put_into(tensor::Arena& arena) const;

  // For the worker's own checkpoint: a copy; and back, for planes of the
  // arena's sizes, from a file that may have none. IoError.
  struct Stored {
    std::string state; // JSON
    std::vector<float> parameters;
    std::vector<float> buffers;
  };
  Stored stored() const;
  void restore(const record::Safetensors& file, const tensor::Arena& arena);

 private:
  bool keeps_values_;
  mutable std::mutex mutex_;
  // Guarded by mutex_. Values are empty where there are none.
  Best best_;
  std::vector<float> parameters_;
  std::vector<float> buffers_;
};

// Into what is written; borrowed from `best`.
void add_best(
    const BestReplica::Stored& best,
    std::vector<record::TensorView>& planes,
    record::Metadata& metadata);

} // namespace grapevine::run
