#include "mix/plans/cost.h"

#include <algorithm>
#include <cmath>

namespace grapevine::mix {

double transfer_seconds(double messages, int64_t bytes) {
  return messages * (kLatency + static_cast<double>(bytes) / kBandwidth);
}

int64_t pipeline_chunk(double copies, int depth, int64_t bytes) {
  const double best = std::sqrt(
      static_cast<double>(bytes) * kLatency * kBandwidth /
      (copies * std::max(1, depth)));
  const int64_t most = std::max(bytes, kLeastChunk);
  return std::clamp(static_cast<int64_t>(best), kLeastChunk, most);
}

double pipeline_seconds(double copies, int depth, int64_t bytes) {
  const auto chunk = static_cast<double>(pipeline_chunk(copies, depth, bytes));
  const double chunks = std::max(1.0, static_cast<double>(bytes) / chunk);
  return (chunks + depth) * (kLatency + copies * chunk / kBandwidth);
}

} // namespace grapevine::mix
