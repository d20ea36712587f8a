#include "run/plan_measure.h"

#include "base/error.h"
#include "mix/find_nodes.h"
#include "net/transports.h"
#include "run/compute_meter.h"
#include "run/torch_threads.h"
#include "sim/measure_links.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::run {
namespace {

using Json = nlohmann::json;

// Of the time that there is.
constexpr double kComputeShare = 0.5;

std::unique_ptr<mix::Communicator> meet(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  if (environment.size == 1) return nullptr;
  if (spec.transport == net::kVirtual.name) {
    throw ConfigError(fmt::format(
        "--transport virtual: the {} workers that were started are processes",
        environment.size));
  }
  mix::CommunicatorOptions options;
  options.deadline = std::chrono::duration<double>(spec.deadline);
  options.chunk_bytes = spec.bucket_bytes;
  return std::make_unique<mix::Communicator>(
      net::make_transport(
          spec.transport.empty() ? environment.transport : spec.transport,
          environment,
          {.deadline = options.deadline}),
      options);
}

// Workers a node; all of them where they share one.
int workers_per_node(
    mix::Communicator& communicator,
    const net::LaunchEnvironment& environment) {
  const int found = mix::find_workers_per_node(communicator, environment);
  // With limited links, workers of one machine pass for nodes.
  if (found > 1 || environment.link.limits()) return found;
  const auto claim = mix::node_claim(environment, communicator.transport());
  const bool knows_place = claim.place.size > 0;
  const auto hosts = communicator.all_gather(claim.host);
  const bool is_elsewhere = knows_place
                                ? claim.place.size < communicator.size()
                                : std::ranges::count(hosts, claim.host) <
                                      static_cast<int64_t>(hosts.size());
  return communicator.any(is_elsewhere) ? 1 : communicator.size();
}

// What one worker sends to worker 0.
std::string to_text(
    const std::vector<sim::ComputeSample>& samples,
    double update) {
  Json forward = Json::array();
  Json backward = Json::array();
  for (const sim::ComputeSample& sample : samples) {
    forward.push_back(sample.forward);
    backward.push_back(sample.backward);
  }
  return Json{{"forward", forward}, {"backward", backward}, {"update", update}}
      .dump();
}

void add_worker(
    sim::Compute& compute,
    const std::string& text,
    size_t workers) {
  const Json json = Json::parse(text);
  auto& samples = compute.workers.emplace_back();
  for (size_t t = 0; t < json.at("forward").size(); ++t) {
    samples.push_back(
        {.forward = json["forward"][t],
         .backward = json["backward"][t].get<std::vector<double>>()});
  }
  compute.update_seconds_per_byte +=
      json.at("update").get<double>() / static_cast<double>(workers);
}

sim::Compute measure_compute(
    const RunConfig& config,
    mix::Communicator* communicator,
    double seconds) {
  const int rank = communicator ? communicator->rank() : 0;
  ComputeMeter meter(config, rank, seconds);
  std::vector<int> order = meter.trace_order();
  if (communicator) {
    // Everybody's times are those of the same buckets.
    order = Json::parse(communicator->broadcast(Json(order).dump(), 0))
                .get<std::vector<int>>();
  }
  const auto samples = meter.time_steps(order, [&](bool stop) {
    return communicator ? communicator->any(stop) : stop;
  });
  const std::string mine = to_text(samples, meter.update_seconds_per_byte());
  const std::vector<std::string> all = communicator
                                           ? communicator->gather(mine, 0)
                                           : std::vector<std::string>{mine};
  sim::Compute compute{
      .model = config.spec.model,
      .data = config.spec.data,
      .batch = config.spec.batch,
      .bucket_bytes = meter.bytes(order)};
  for (const std::string& text : all)
    add_worker(compute, text, all.size());
  return compute;
}

} // namespace

std::optional<sim::Costs> measure_cluster(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment,
    const PlanMeasureOptions& options) {
  use_one_torch_thread();
  const auto tell = [&](const std::string& phase) {
    if (options.on_phase && environment.rank == 0) options.on_phase(phase);
  };
  RunConfig config = make_run_config(spec, options.data_path);
  check_slow_workers(environment.slow, environment.size);
  config.slow = environment.slow;
  const auto communicator = meet(spec, environment);
  sim::Costs costs;
  tell("compute");
  costs.compute = measure_compute(
      config,
      communicator.get(),
      kComputeShare * options.seconds);
  if (!communicator) return costs;
  tell("links");
  const int per_node = workers_per_node(*communicator, environment);
  const auto links = sim::measure_links(
      *communicator,
      {.seconds = (1 - kComputeShare) * options.seconds});
  communicator->barrier();
  if (communicator->rank() > 0) return std::nullopt;
  add_links(costs, links, communicator->size(), per_node);
  return costs;
}

} // namespace grapevine::run
