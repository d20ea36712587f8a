// Attention of several heads, as the transformers share it:
//
//   attend(q, k, v) = dropout(softmax(q k^T / sqrt(depth) + mask)) v
//
// Rows of a batch lie one behind the other, [samples * positions, width]; for
// attention each head of each sample has a matrix of its own,
// [samples * heads, positions, depth], depth = width / heads.
#pragma once

#include <grapevine/dropout.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace grapevine::model {

// Cuts x [samples * positions, parts * width], the results of `parts`
// projections side by side, into one [samples * heads, positions, depth] each.
std::vector<torch::Tensor> split_heads(
    const torch::Tensor& x,
    int64_t parts,
    int64_t samples,
    int64_t heads);

// The reverse, of one: [samples * heads, positions, depth] to
// [samples * positions, width].
torch::Tensor join_heads(const torch::Tensor& x, int64_t heads);

struct HeadDropout {
  double p = 0;
  ChanceAddress chance;
  uint64_t layer = 0;
};

// mask: what is added to the scores, of a shape that stretches to
// [samples * heads, positions of q, positions of k]; 0 or -inf.
torch::Tensor attend(
    const torch::Tensor& q,
    const torch::Tensor& k,
    const torch::Tensor& v,
    const torch::Tensor& mask,
    const HeadDropout& dropout = {});

// [1, positions, positions]: 0 up to the own position, -inf behind it. Of the
// type and device of `like`.
torch::Tensor causal_mask(int64_t positions, const torch::Tensor& like);

} // namespace grapevine::model
