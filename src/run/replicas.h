// What runs of every kind do to the replicas that a process hosts.
#pragma once

#include "mix/cluster.h"
#include "record/consensus_sample.h"
#include "run/run_config.h"
#include "run/worker.h"
#include "tensor/arena.h"

#include <span>
#include <vector>

namespace grapevine::run {

// Makes replicas of the run, all with its initial values: those of the spec's
// --init, where there is one, else by its seed.
std::vector<Worker> make_workers(const RunConfig& config, size_t count);
// Loads the values of the spec's --init, where there is one, into all of them.
// IoError.
void load_initial_values(const RunConfig& config, std::vector<Worker>& workers);

std::vector<tensor::Arena*> arenas_of(std::vector<Worker>& workers);

// The moving averages of the workers' weights (--ema), each in the last of its
// arena's state planes. Nothing happens where the spec asks for none.
// Sets it to the weights as they are.
void begin_moving_average(const RunConfig& config, tensor::Arena& arena);
// Lets it follow the weights, the arena's parameters, by one step.
void follow_weights(const RunConfig& config, tensor::Arena& arena);

// Returns the distance from consensus of all replicas, on some pieces of their
// parameters; leaves the pieces' mean at the beginning of `mean`. Collective.
double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    const record::ConsensusSample& sample,
    std::span<float> mean);
// The same on all parameters.
double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    std::span<float> mean);

} // namespace grapevine::run
