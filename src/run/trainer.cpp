#include "run/trainer.h"

#include "base/thread_pool.h"
#include "gossip/neighbours.h"
#include "net/gloo.h"
#include "net/transports.h"
#include "record/run_directory.h"
#include "record/run_lock.h"
#include "run/engines/asynchronous.h"
#include "run/engines/synchronous.h"
#include "run/engines/virtual_time.h"
#include "run/run.h"
#include "run/run_config.h"
#include "run/run_directory_setup.h"
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
  // Processes leave one of all only at the end, without pairs in progress.
  const bool has_virtual =
      !list.empty() && list.front().state.contains("gossip");
  if (is_virtual ? !has_own : !has_virtual) return;
  throw ConfigError(fmt::format(
      "{} holds an asynchronous run that was interrupted {}; it can only be "
      "resumed the same way. Use another --out, or --fresh to restart it",
      directory.path().string(),
      is_virtual ? "in several processes (grapevine launch, mpirun)"
                 : "in one process, with virtual workers"));
}

// One call of train().
class Training {
 public:
  Training(
      const spec::Spec& spec,
      const net::LaunchEnvironment& environment,
      const TrainHooks& hooks)
      : environment_(environment),
        hooks_(hooks),
        transport_(transport_of(spec, environment)),
        is_virtual_(transport_ == net::kVirtual.name),
        pool_(thread_count(spec, is_virtual_), use_one_torch_thread),
        config_(make_run_config(spec, hooks.data_path)),
        directory_(directory_of(spec)) {
    if (is_virtual_) return;
    check_slow_workers(environment.slow, spec.n);
    config_.slow = environment.slow;
  }

  TrainResult run() {
    if (config_.is_asynchronous() && !is_virtual_) return run_apart();
    const auto cluster = make_cluster(config_.spec, environment_, pool_);
    if (const auto stored = open(*cluster)) {
      return report_result(*stored, hooks_);
    }
    return report_result(run_together(*cluster), hooks_);
  }

 private:
  // Begins an attempt with all workers; or returns what the run in the
  // directory has come to. Collective.
  std::optional<TrainResult> open(mix::Cluster& cluster) {
    settle_nodes(config_, environment_, cluster);
    const mix::Fingerprint parts = fingerprint(config_);
    cluster.compare_fingerprints(parts);
    if (auto stored =
            open_directory(cluster, directory_, config_.spec, parts, lock_)) {
      return stored;
    }
    if (config_.is_asynchronous()) {
      check_kind_of_checkpoints(directory_, config_.spec.n, is_virtual_);
    }
    check_inputs(config_);
    attempt_ = begin_attempt(cluster, directory_, config_.spec);
    description_ = run_description(config_, parts, attempt_);
    if (!cluster.is_root()) return std::nullopt;
    directory_.write_run(description_);
    for (const std::string& note : config_.dataset.notes) {
      if (hooks_.on_note) hooks_.on_note(note);
    }
    return std::nullopt;
  }

  // Trains all workers of the cluster. Keeps run.json true while the run lives
  // and after it has failed; only the process that hosts worker 0 writes it.
  TrainResult run_together(mix::Cluster& cluster) {
    const bool writes = cluster.is_root();
    try {
      TrainResult result = run_engine(cluster);
      result.is_complete = writes;
      if (writes) write_result(directory_, description_, result);
      return result;
    } catch (const std::exception& error) {
      if (writes) write_failure(directory_, description_, error);
      throw;
    }
  }

  TrainResult run_engine(mix::Cluster& cluster) {
    RunContext context(
        config_,
        {cluster.hosted().begin(), cluster.hosted().end()},
        directory_,
        attempt_,
        hooks_);
    std::unique_ptr<Engine> engine;
    if (config_.is_asynchronous()) {
      engine = std::make_unique<VirtualTimeEngine>(context, cluster);
    } else {
      engine = std::make_unique<SynchronousEngine>(context, cluster);
    }
    return Run(context, *engine).run();
  }

  // Trains one worker of an asynchronous run. All begin together, as in any
  // run; one that returns while the others go on joins them on the way.
  TrainResult run_apart() {
    AsynchronousOptions options;
    // For the beginning and for the edges; longer than either.
    std::unique_ptr<net::StoreServer> store;
    if (net::survives_loss(transport_)) {
      store = net::serve_store_for(environment_);
      options.returns = environment_.restart_of_worker > 0;
    }
    if (const auto result =
            options.returns ? return_to_others() : begin_with_all(options)) {
      return *result;
    }
    bool is_kept = false;
    options.keep_result = [&](const TrainResult& result) {
      write_result(directory_, description_, result);
      is_kept = true;
      // The checkpoint of all is there, and says so.
      if (result.outcome == Outcome::kCompleted) {
        record::Checkpoints(directory_).remove_own();
      }
    };
    try {
      return run_engine(options);
    } catch (const std::exception& error) {
      if (const auto result = result_of_others()) return *result;
      if (!edges_->survives_loss() && environment_.rank == 0 && !is_kept) {
        write_failure(directory_, description_, error);
      }
      throw;
    }
  }

  TrainResult run_engine(const AsynchronousOptions& options) {
    RunContext context(
        config_,
        {environment_.rank},
        directory_,
        attempt_,
        hooks_);
    AsynchronousEngine engine(context, *edges_, options);
    return Run(context, engine).run();
  }

  std::optional<TrainResult> begin_with_all(AsynchronousOptions& options) {
    const auto cluster = make_cluster(config_.spec, environment_, pool_);
    if (const auto stored = open(*cluster)) {
      return report_result(*stored, hooks_);
    }
    options.resumes = cluster->any(
        record::Checkpoints(directory_).has_own(environment_.rank));
    make_edges();
    cluster->barrier();
    return std::nullopt;
  }

  std::optional<TrainResult> return_to_others() {
    if (!directory_.exists()) {
      throw ConfigError(fmt::format(
          "worker {} was started again before the run had begun, so there is "
          "nothing to join; start the run again",
          environment_.rank));
    }
    // Its former life held the run.
    if (environment_.rank == 0) lock_.emplace(directory_.path());
    take_over_nodes();
    make_edges();
    if (const auto result =
            result_without_it(*edges_, directory_, config_.spec, hooks_)) {
      return result;
    }
    attempt_ = std::max(0, attempts_before(directory_) - 1);
    description_ = run_description(config_, fingerprint(config_), attempt_);
    return std::nullopt;
  }

  // What the workers had found out when they began.
  void take_over_nodes() {
    if (config_.spec.workers_per_node > 0) return;
    const spec::ParsedSpec begun = spec::parse_spec(
        directory_.read_spec(),
        directory_.spec_file().string(),
        {});
    config_.spec.workers_per_node = begun.spec.workers_per_node;
    config_.schedule = graph::make_schedule(spec::graph_options(config_.spec));
  }

  // The links of this process's worker to its neighbours.
  void make_edges() {
    edges_ = member::make_edges(
        transport_,
        environment_,
        gossip::neighbours_in(*config_.schedule)[environment_.rank],
        transport_options(config_.spec));
  }

  // What the run has come to where the others have reached its end without
  // this worker; then all is well.
  std::optional<TrainResult> result_of_others() {
    try {
      return result_without_it(*edges_, directory_, config_.spec, hooks_);
    } catch (const Error&) {
      return std::nullopt; // what ended this worker says more
    }
  }

  net::LaunchEnvironment environment_;
  const TrainHooks& hooks_;
  const std::string transport_;
  const bool is_virtual_;
  ThreadPool pool_;
  RunConfig config_;
  const record::RunDirectory directory_;
  std::optional<record::RunLock> lock_;
  int attempt_ = 0;
  nlohmann::json description_;           // run.json
  std::unique_ptr<member::Edges> edges_; // of an asynchronous worker
};

} // namespace

bool is_reporting_process(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment) {
  return transport_of(spec, environment) == net::kVirtual.name ||
         environment.rank == 0;
}

TrainResult train(
    const spec::Spec& spec,
    const net::LaunchEnvironment& environment,
    const TrainHooks& hooks) {
  use_one_torch_thread();
  return Training(spec, environment, hooks).run();
}

} // namespace grapevine::run
