// A dataflow as instructions over buffers, ready to be run block by block.
//
// Buffers 0 .. n-1 are the workers' values, the rest scratch. A result goes
// straight into its worker's value where nobody needs that value any more,
// else into scratch and from there as soon as that is so; scratch is used
// again once nobody needs it. So a ring on 1000 workers needs a handful of
// scratch buffers, which stay in the first cache.
#pragma once

#include "mix/dataflow.h"

#include <cstdint>
#include <span>
#include <vector>

namespace grapevine::mix {

class CompiledDataflow {
 public:
  explicit CompiledDataflow(const Dataflow& dataflow);

  int scratch_buffers() const { return scratch_buffers_; }

  // values[i] points at `count` elements of worker i, replaced by the result.
  // scratch holds scratch_buffers() * stride floats, stride >= count.
  // Allocates nothing but for nodes with more than 1024 terms.
  void run(
      std::span<float* const> values,
      int64_t count,
      float* scratch,
      int64_t stride) const;

 private:
  struct Instruction {
    int dst;
    int first_term; // into terms_
    int terms;
    bool weighted;
    float scale;
  };

  void emit(int dst, const Dataflow::Node& node, const std::vector<int>& where);
  void emit_copy(int dst, int src);

  int n_;
  int scratch_buffers_ = 0;
  int most_terms_ = 1;
  std::vector<Instruction> instructions_;
  std::vector<int> terms_;
  std::vector<float> weights_; // parallel to terms_
};

} // namespace grapevine::mix
