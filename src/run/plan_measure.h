// Measures what a step costs on the cluster at hand: `grapevine plan measure`.
//
// Under any launcher every process is a worker; started alone there is one,
// and no link. Compute of all workers at once, then links; nothing of it is a
// training run, and nothing is left behind.
#pragma once

#include "net/launch_environment.h"
#include "sim/costs.h"
#include "spec/spec.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::run {

struct PlanMeasureOptions {
  double seconds = 40;                              // about, in all
  std::vector<std::string> data_path;               // see data/locate.h
  std::function<void(const std::string&)> on_phase; // a line each
};

// Of the spec: the task, batch, micro-batches, the local rule, transport,
// deadline, device, bucket size. Slow workers are those of the environment.
// Collective; the result is there on worker
// 0 only. ConfigError, IoError and TransportError as train() has them.
std::optional<sim::Costs> measure_cluster(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment,
    const PlanMeasureOptions& options);

} // namespace grapevine::run
