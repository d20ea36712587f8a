#include "run/replicas.h"

#include "algo/agreement.h"
#include "base/heap.h"
#include "record/consensus.h"
#include "record/safetensors.h"
#include "run/planes.h"
#include "tensor/kernels/elementwise.h"

#include <algorithm>

namespace grapevine::run {

std::vector<Worker> make_workers(const RunConfig& config, size_t count) {
  std::vector<Worker> workers;
  {
    const ShortLivedBlocks heap;
    for (size_t i = 0; i < count; ++i)
      workers.emplace_back(config.worker_options());
  }
  load_initial_values(config, workers);
  for (Worker& worker : workers)
    begin_moving_average(config, worker.arena());
  return workers;
}

void load_initial_values(
    const RunConfig& config,
    std::vector<Worker>& workers) {
  const std::string& path = config.spec.init;
  if (path.empty()) return;
  const record::Safetensors file = record::read_safetensors(path);
  for (Worker& worker : workers)
    load_named_tensors(file, path, worker.arena());
}

std::vector<tensor::Arena*> arenas_of(std::vector<Worker>& workers) {
  std::vector<tensor::Arena*> arenas;
  for (Worker& worker : workers)
    arenas.push_back(&worker.arena());
  return arenas;
}

void begin_moving_average(const RunConfig& config, tensor::Arena& arena) {
  if (!config.has_moving_average()) return;
  std::ranges::copy(
      arena.parameters(),
      algo::plane_of(arena, algo::Plane::kMovingAverage).begin());
}

void follow_weights(const RunConfig& config, tensor::Arena& arena) {
  if (!config.has_moving_average()) return;
  const auto average = algo::plane_of(arena, algo::Plane::kMovingAverage);
  tensor::follow(
      average.data(),
      arena.parameters().data(),
      static_cast<int64_t>(average.size()),
      static_cast<float>(1 - config.spec.ema));
}

double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    const record::ConsensusSample& sample,
    std::span<float> mean) {
  mean = mean.first(sample.elements);
  cluster.mean(algo::Plane::kParameters, sample.pieces, mean);
  mix::Rows mine(workers.size());
  cluster.for_each([&](int index) {
    const std::span<const float> x = workers[index].arena().parameters();
    int64_t at = 0;
    double distance = 0;
    for (const Range& piece : sample.pieces) {
      distance += record::squared_distance(
          x.subspan(piece.begin, piece.size()),
          mean.subspan(at, piece.size()));
      at += piece.size();
    }
    mine[index] = {sample.scale * distance};
  });
  std::vector<double> distances;
  for (const auto& row : cluster.all_gather(mine))
    distances.push_back(row[0]);
  return record::consensus_distance(distances);
}

double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    std::span<float> mean) {
  const auto size = static_cast<int64_t>(mean.size());
  return consensus_distance(
      cluster,
      workers,
      {.pieces = {{0, size}}, .elements = size},
      mean);
}

} // namespace grapevine::run
