// Test samples in the order in which they are evaluated, shared by all
// evaluations.
//
// A set is cut into parts, which workers may evaluate apart from each other. A
// part is one batch, or, for models that carry state, the batches of a few
// streams in order: the text is cut into kEvaluationStreams streams of equal
// length, and what is left over is one more. The part's state begins empty.
#pragma once

#include "data/source.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace grapevine::run {

struct EvaluationOptions {
  bool in_streams = false; // where the source can be read so
};

class EvaluationSet {
 public:
  // The source is borrowed. Samples are gathered here where they need little
  // memory, else whenever they are evaluated.
  EvaluationSet(
      const data::Source& source,
      std::span<const int64_t> indices,
      const EvaluationOptions& options);

  int64_t samples() const { return samples_; }
  int64_t parts() const { return static_cast<int64_t>(parts_.size()); }
  // The batches of a part, one after the other. Several threads may do this.
  void for_each_batch(
      int64_t part,
      const std::function<void(const data::Batch&)>& visit) const;

 private:
  struct Pass {
    std::vector<int64_t> indices;
    data::Batch batch; // empty: gathered when it is asked for
  };
  using Part = std::vector<Pass>;

  void cut_into_batches(std::span<const int64_t> indices);
  void cut_by_length(std::span<const int64_t> indices);
  void cut_into_streams(std::span<const int64_t> indices);
  void add_batch(std::span<const int64_t> indices);
  void add_streams(
      std::span<const int64_t> indices,
      int64_t streams,
      int64_t length);
  bool fits_in_memory() const;

  const data::Source& source_;
  int64_t samples_;
  std::vector<Part> parts_;
};

} // namespace grapevine::run
