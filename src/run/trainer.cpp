#include "run/trainer.h"

#include "base/thread_pool.h"
#include "gossip/neighbours.h"
#include "net/store_server.h"
#include "net/transports.h"
#include "record/run_directory.h"
#include "record/run_lock.h"
#include "run/gossip_run.h"
#include "run/report_result.h"
#include "run/run.h"
#include "run/run_config.h"
#include "run/run_directory_setup.h"
#include "run/torch_threads.h"
#include "run/virtual_gossip_run.h"
#include "spec/spec.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <thread>

namespace grapevine::run {
namespace {

std::string transport_of(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  return spec.transport.empty() ? environment.transport : spec.transport;
}

int thread_count(const spec::Spec& spec, bool is_virtual) {
  if (!is_virtual) return 1;
  if (spec.threads > 0) return spec.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

mix::CommunicatorOptions communicator_options(const spec::Spec& spec) {
  mix::CommunicatorOptions options;
  options.deadline = std::chrono::duration<double>(spec.deadline);
  options.chunk_bytes = spec.bucket_bytes;
  return options;
}

net::TransportOptions transport_options(const spec::Spec& spec) {
  return {
      .deadline = std::chrono::duration<double>(spec.deadline),
      .packs = spec.packing};
}

std::unique_ptr<mix::Cluster> make_cluster(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment,
    ThreadPool& pool) {
  const std::string name = transport_of(spec, environment);
  const bool is_virtual = name == net::kVirtual.name;
  if (is_virtual && environment.size > 1) {
    throw ConfigError(fmt::format(
        "--transport virtual has all workers in one process, and a launcher "
        "has started {}; leave out one of the two",
        environment.size));
  }
  if (is_virtual) return mix::make_virtual_cluster(spec.n, pool);
  const auto options = communicator_options(spec);
  auto link = net::make_transport(name, environment, transport_options(spec));
  if (link->size() != spec.n) {
    throw ConfigError(fmt::format(
        "-n {} does not fit the launcher, which started {} processes; leave "
        "-n out or start {}",
        spec.n,
        link->size(),
        spec.n));
  }
  auto cluster = mix::make_process_cluster(std::move(link), options);
  // Workers must agree on whether they pack, though it changes no result: so
  // before anything else is said, in messages that are too short for it.
  cluster->compare_fingerprints(
      {{"packing", spec::find_entry("packing")->get_toml(spec)}});
  return cluster;
}

// workers-per-node = 0 means what the cluster is found to have. Everybody asks,
// also where the spec says it, since a spec that differs is found out later.
void settle_nodes(
    RunConfig& config,
    const net::LaunchEnvironment& environment,
    mix::Cluster& cluster) {
  const int found = cluster.find_workers_per_node(environment);
  if (config.spec.workers_per_node > 0) return;
  config.spec.workers_per_node = found;
  config.schedule = graph::make_schedule(spec::graph_options(config.spec));
  if (config.spec.link.empty()) return;
  // Until now each worker passed for a node of its own.
  try {
    check_links(
        parse_link(config.spec.link),
        config.spec.n,
        std::max(1, found));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--link: {}", error.what()));
  }
}

std::string directory_of(const spec::Spec& spec) {
  return spec.out.empty() ? "runs/" + spec::run_name(spec) : spec.out;
}

TrainResult run_to_the_end(
    const RunConfig& config,
    mix::Cluster& cluster,
    const record::RunDirectory& directory,
    int attempt,
    const TrainHooks& hooks) {
  if (config.is_asynchronous()) {
    return VirtualGossipRun(config, cluster, directory, attempt, hooks).run();
  }
  return Run(config, cluster, directory, attempt, hooks).run();
}

// One run of this process. Keeps run.json true while the run lives and after
// it has failed; only the process that hosts worker 0 writes it.
TrainResult train_in(
    const RunConfig& config,
    mix::Cluster& cluster,
    const record::RunDirectory& directory,
    const mix::Fingerprint& parts,
    const TrainHooks& hooks) {
  check_inputs(config);
  const int attempt = begin_attempt(cluster, directory, config.spec);
  const nlohmann::json description = run_description(config, parts, attempt);
  const bool writes = cluster.is_root();
  if (writes) directory.write_run(description);
  if (writes && hooks.on_note) {
    for (const std::string& note : config.dataset.notes)
      hooks.on_note(note);
  }
  try {
    TrainResult result =
        run_to_the_end(config, cluster, directory, attempt, hooks);
    result.is_complete = writes;
    if (writes) write_result(directory, description, result);
    return result;
  } catch (const std::exception& error) {
    if (writes) write_failure(directory, description, error);
    throw;
  }
}

// Returns the links of this process's worker to its neighbours.
std::unique_ptr<member::Edges> make_edges(
    const RunConfig& config,
    const net::LaunchEnvironment& environment,
    const std::string& transport) {
  return member::make_edges(
      transport,
      environment,
      gossip::neighbours_in(*config.schedule)[environment.rank],
      transport_options(config.spec));
}

// What the workers had found out when they began.
void take_over_nodes(RunConfig& config, const record::RunDirectory& directory) {
  if (config.spec.workers_per_node > 0) return;
  const spec::ParsedSpec begun = spec::parse_spec(
      directory.read_spec(),
      directory.spec_file().string(),
      {});
  config.spec.workers_per_node = begun.spec.workers_per_node;
  config.schedule = graph::make_schedule(spec::graph_options(config.spec));
}

// What a virtual asynchronous run stores is not what its processes would.
void check_kind_of_checkpoints(
    const record::RunDirectory& directory,
    int workers,
    bool is_virtual) {
  const record::Checkpoints checkpoints(directory);
  bool has_own = false;
  for (int worker = 0; worker < workers; ++worker)
    has_own = has_own || checkpoints.has_own(worker);
  const auto list = checkpoints.list();
  // Processes leave one of all only at the end, without pairs under way.
  const bool has_virtual =
      !list.empty() && list.front().state.contains("gossip");
  if (is_virtual ? !has_own : !has_virtual) return;
  throw ConfigError(fmt::format(
      "{} holds an asynchronous run that was interrupted {}, and goes on only "
      "so; give another --out, or --fresh to begin it again",
      directory.path().string(),
      is_virtual ? "between processes (grapevine launch, mpirun)"
                 : "in one process, with virtual workers"));
}

// An asynchronous run of processes. They begin together, as all runs do; one
// that returns while the others go on joins them on the way. Whoever is first
// among those that reach the end writes the result.
TrainResult train_processes_asynchronously(
    RunConfig& config,
    net::LaunchEnvironment environment,
    ThreadPool& pool,
    const TrainHooks& hooks) {
  const std::string transport = transport_of(config.spec, environment);
  // For the beginning and for the edges; longer than either.
  std::unique_ptr<net::StoreServer> store;
  const bool survives_loss = net::survives_loss(transport);
  if (survives_loss) store = net::serve_store_for(environment);
  const record::RunDirectory directory(directory_of(config.spec));
  GossipRunOptions options;
  options.returns = environment.restart_of_worker > 0 && survives_loss;
  mix::Fingerprint parts;
  std::optional<record::RunLock> lock;
  std::unique_ptr<member::Edges> edges;
  if (options.returns) {
    if (!directory.exists()) {
      throw ConfigError(fmt::format(
          "worker {} was started again before the run had begun, and cannot "
          "join what is not there; start the run again",
          environment.rank));
    }
    // Its former life held the run.
    if (environment.rank == 0) lock.emplace(directory.path());
    take_over_nodes(config, directory);
    edges = make_edges(config, environment, transport);
    if (const auto result =
            result_without_it(*edges, directory, config.spec, hooks)) {
      return *result;
    }
    options.attempt = std::max(0, attempts_before(directory) - 1);
    parts = fingerprint(config);
  } else {
    const auto cluster = make_cluster(config.spec, environment, pool);
    settle_nodes(config, environment, *cluster);
    parts = fingerprint(config);
    cluster->compare_fingerprints(parts);
    if (const auto stored =
            open_directory(*cluster, directory, config.spec, parts, lock)) {
      return report_result(*stored, hooks);
    }
    check_kind_of_checkpoints(directory, config.spec.n, false);
    check_inputs(config);
    options.attempt = begin_attempt(*cluster, directory, config.spec);
    options.resumes =
        cluster->any(record::Checkpoints(directory).has_own(environment.rank));
    if (cluster->is_root()) {
      directory.write_run(run_description(config, parts, options.attempt));
    }
    edges = make_edges(config, environment, transport);
    cluster->barrier();
  }
  const nlohmann::json description =
      run_description(config, parts, options.attempt);
  bool is_kept = false;
  options.keep_result = [&](const TrainResult& result) {
    write_result(directory, description, result);
    is_kept = true;
    // The checkpoint of all is there, and says so.
    if (result.outcome == Outcome::kCompleted) {
      record::Checkpoints(directory).remove_own();
    }
  };
  try {
    return GossipRun(config, *edges, directory, options, hooks).run();
  } catch (const std::exception& error) {
    // Where the others have come to the end without this worker, all is well.
    try {
      if (const auto result =
              result_without_it(*edges, directory, config.spec, hooks)) {
        return *result;
      }
    } catch (const Error&) {
      // The first error says more.
    }
    if (!edges->survives_loss() && environment.rank == 0 && !is_kept) {
      write_failure(directory, description, error);
    }
    throw;
  }
}

} // namespace

bool is_reporting_process(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  return transport_of(spec, environment) == net::kVirtual.name ||
         environment.rank == 0;
}

TrainResult train(
    const spec::Spec& given,
    const net::LaunchEnvironment& environment,
    const TrainHooks& hooks) {
  use_one_torch_thread();
  const bool is_virtual =
      transport_of(given, environment) == net::kVirtual.name;
  ThreadPool pool(thread_count(given, is_virtual), use_one_torch_thread);
  RunConfig config = make_run_config(given, hooks.data_path);
  if (!is_virtual) {
    check_slow_workers(environment.slow, given.n);
    config.slow = environment.slow;
  }
  if (config.is_asynchronous() && !is_virtual) {
    return train_processes_asynchronously(config, environment, pool, hooks);
  }
  const auto cluster = make_cluster(given, environment, pool);
  settle_nodes(config, environment, *cluster);
  const spec::Spec& spec = config.spec;
  const record::RunDirectory directory(directory_of(spec));
  const mix::Fingerprint parts = fingerprint(config);
  cluster->compare_fingerprints(parts);

  std::optional<record::RunLock> lock;
  if (const auto stored =
          open_directory(*cluster, directory, spec, parts, lock)) {
    return report_result(*stored, hooks);
  }
  if (config.is_asynchronous()) {
    check_kind_of_checkpoints(directory, spec.n, true);
  }
  return report_result(
      train_in(config, *cluster, directory, parts, hooks),
      hooks);
}

} // namespace grapevine::run
