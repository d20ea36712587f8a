#include "train/trainer.h"

#include "base/thread_pool.h"
#include "comm/fingerprint.h"
#include "kernel/elementwise.h"
#include "record/run_directory.h"
#include "record/run_lock.h"
#include "spec/graph_options.h"
#include "spec/spec_table.h"
#include "train/build_info.h"
#include "train/gossip_times.h"
#include "train/planes.h"
#include "train/run.h"
#include "train/setup.h"
#include "train/torch_threads.h"
#include "train/virtual_clock.h"
#include "train/virtual_gossip_run.h"
#include "transport/transports.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <thread>

namespace grapevine::train {
namespace {

std::string transport_of(
    const spec::Spec& spec,
    const transport::LaunchEnvironment& environment) {
  return spec.transport.empty() ? environment.transport : spec.transport;
}

int thread_count(const spec::Spec& spec, bool is_virtual) {
  if (!is_virtual) return 1;
  if (spec.threads > 0) return spec.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

comm::CommunicatorOptions communicator_options(const spec::Spec& spec) {
  comm::CommunicatorOptions options;
  options.deadline = std::chrono::duration<double>(spec.deadline);
  options.chunk_bytes = spec.bucket_bytes;
  return options;
}

std::unique_ptr<cluster::Cluster> make_cluster(
    const spec::Spec& spec,
    const transport::LaunchEnvironment& environment,
    ThreadPool& pool) {
  const std::string name = transport_of(spec, environment);
  if (name == "virtual") return cluster::make_virtual_cluster(spec.n, pool);
  const auto options = communicator_options(spec);
  auto link = transport::make_transport(name, environment, options.deadline);
  if (link->size() != spec.n) {
    throw ConfigError(fmt::format(
        "-n {} does not fit the launcher, which started {} processes; leave "
        "-n out or start {}",
        spec.n,
        link->size(),
        spec.n));
  }
  return cluster::make_process_cluster(std::move(link), options);
}

// workers-per-node = 0 means what the cluster is found to have. Everybody asks,
// also where the spec says it, since a spec that differs is found out later.
void settle_nodes(
    Setup& setup,
    const transport::LaunchEnvironment& environment,
    cluster::Cluster& cluster) {
  const int found = cluster.find_workers_per_node(environment);
  if (setup.spec.workers_per_node > 0) return;
  setup.spec.workers_per_node = found;
  setup.schedule = graph::make_schedule(spec::graph_options(setup.spec));
}

// Refuses to mix two specs in one directory.
void check_same_spec(
    const record::RunDirectory& directory,
    const spec::Spec& spec) {
  const spec::ParsedSpec stored = spec::parse_spec(
      directory.read_spec(),
      directory.spec_file().string(),
      {});
  // A key that one of them does not have has its default there.
  const auto theirs = spec::spec_fingerprint(stored.spec);
  auto mine = spec::spec_fingerprint(spec);
  for (const auto& [key, value] : theirs)
    mine.try_emplace(key, spec::find_entry(key)->get_toml(spec));
  for (const auto& [key, value] : mine) {
    const std::string other = spec::find_entry(key)->get_toml(stored.spec);
    if (other != value) {
      throw ConfigError(fmt::format(
          "{} holds a run with {} = {}, not {}; give another --out, or --fresh "
          "to begin it again",
          directory.path().string(),
          key,
          other,
          value));
    }
  }
}

// The stored result of a run that has ended, if there is one. With --fresh,
// what is there is removed instead.
std::optional<TrainResult> stored_result(
    const record::RunDirectory& directory,
    const spec::Spec& spec) {
  if (spec.fresh) {
    directory.clear();
    return std::nullopt;
  }
  if (!directory.exists()) return std::nullopt;
  if (std::filesystem::exists(directory.spec_file())) {
    check_same_spec(directory, spec);
  }
  const auto run = directory.read_run();
  if (!run || !run->contains("result")) return std::nullopt;
  TrainResult result;
  try {
    result = result_from_json(run->at("result"));
  } catch (const nlohmann::json::exception& error) {
    throw IoError(fmt::format(
        "{}: the result in it cannot be read ({})",
        directory.run_file().string(),
        error.what()));
  }
  if (result.outcome != Outcome::kCompleted &&
      result.outcome != Outcome::kDiverged) {
    return std::nullopt;
  }
  result.run = directory.path().string();
  result.was_stored = true;
  return result;
}

comm::Fingerprint fingerprint(const Setup& setup) {
  comm::Fingerprint parts;
  for (const auto& [key, value] : spec::spec_fingerprint(setup.spec)) {
    parts["spec." + key] = value;
  }
  parts["data"] = fmt::format(
      "{} training and {} test samples",
      setup.dataset.train->size(),
      setup.dataset.test->size());
  parts["graph"] = fmt::format("{:016x}", setup.schedule->at({0, 0})->digest());
  parts["build"] = build_version();
  parts["torch"] = torch_version();
  parts["instructions"] = kernel::instruction_set();
  return parts;
}

nlohmann::json description(
    const Setup& setup,
    const comm::Fingerprint& fingerprint) {
  return {
      {"outcome", "running"},
      {"spec_hash", spec::spec_hash(setup.spec)},
      {"machine", machine_info()},
      {"build", {{"version", build_version()}, {"torch", torch_version()}}},
      {"fingerprint", fingerprint}};
}

// How many attempts have begun, as run.json has it: each is counted there
// before it writes its first record.
int attempts_before(const record::RunDirectory& directory) {
  const auto run = directory.read_run();
  if (!run) return 0;
  const auto attempts = run->find("attempts");
  return attempts != run->end() && attempts->is_number_integer()
             ? attempts->get<int>()
             : 0;
}

// An unusable --init is bad input, answered before the run begins.
void check_initial_values(const Setup& setup) {
  if (setup.spec.init.empty()) return;
  WorkerOptions options = setup.worker_options();
  options.state_planes = 0;
  Worker worker(options);
  load_named_tensors(
      record::read_safetensors(setup.spec.init),
      setup.spec.init,
      worker.arena());
}

// The costs must be those of this model.
void check_virtual_clock(const Setup& setup) {
  if (!spec::has_virtual_clock(setup.spec)) return;
  WorkerOptions options = setup.worker_options();
  options.state_planes = 0;
  const Worker worker(options);
  if (setup.is_asynchronous()) {
    make_gossip_times(setup.spec, worker.arena().layout());
  } else {
    make_virtual_clock(setup.spec, worker.arena().layout());
  }
}

TrainResult run_to_the_end(
    const Setup& setup,
    cluster::Cluster& cluster,
    const record::RunDirectory& directory,
    int attempt,
    const TrainHooks& hooks) {
  if (setup.is_asynchronous()) {
    return VirtualGossipRun(setup, cluster, directory, attempt, hooks).run();
  }
  return Run(setup, cluster, directory, attempt, hooks).run();
}

// One run of this process. Keeps run.json true while the run lives and after
// it has failed; only the process that hosts worker 0 writes it.
TrainResult train_in(
    const Setup& setup,
    cluster::Cluster& cluster,
    const record::RunDirectory& directory,
    const comm::Fingerprint& parts,
    const TrainHooks& hooks) {
  const bool writes = cluster.hosts_first();
  check_initial_values(setup);
  check_virtual_clock(setup);
  int attempt = 0;
  if (writes) {
    directory.create();
    attempt = attempts_before(directory);
    spec::Spec stored = setup.spec;
    stored.fresh = false; // an order for this time, not part of the run
    directory.write_spec(spec::to_toml(stored));
  }
  attempt = std::stoi(cluster.broadcast(std::to_string(attempt)));
  cluster.barrier();
  nlohmann::json description_json = description(setup, parts);
  description_json["attempts"] = attempt + 1;
  if (writes) directory.write_run(description_json);
  try {
    TrainResult result =
        run_to_the_end(setup, cluster, directory, attempt, hooks);
    if (writes) {
      description_json["outcome"] = to_string(result.outcome);
      description_json["result"] = to_json(result);
      directory.write_run(description_json);
    }
    return result;
  } catch (const std::exception& error) {
    if (writes) {
      description_json["outcome"] = "failed";
      description_json["error"] = error.what();
      try {
        directory.write_run(description_json);
      } catch (const IoError&) {
        // The first error says more than "and run.json could not be written".
      }
    }
    throw;
  }
}

} // namespace

bool is_reporting_process(
    const spec::Spec& spec,
    const transport::LaunchEnvironment& environment) {
  return transport_of(spec, environment) == "virtual" || environment.rank == 0;
}

TrainResult train(
    const spec::Spec& given,
    const transport::LaunchEnvironment& environment,
    const TrainHooks& hooks) {
  use_one_torch_thread();
  const bool is_virtual = transport_of(given, environment) == "virtual";
  ThreadPool pool(thread_count(given, is_virtual), use_one_torch_thread);
  Setup setup = make_setup(given, hooks.data_path);
  if (!is_virtual) {
    transport::check_slow_workers(environment.slow, given.n);
    setup.slow = environment.slow;
  }
  const auto cluster = make_cluster(given, environment, pool);
  settle_nodes(setup, environment, *cluster);
  const spec::Spec& spec = setup.spec;
  const record::RunDirectory directory(
      spec.out.empty() ? "runs/" + spec::run_name(spec) : spec.out);
  const comm::Fingerprint parts = fingerprint(setup);
  cluster->compare_fingerprints(parts);

  // The first process looks at the directory; all act on what it found.
  std::optional<record::RunLock> lock;
  std::string found;
  std::exception_ptr refusal;
  bool is_config = false;
  if (cluster->hosts_first()) {
    try {
      lock.emplace(directory.path());
      directory.require_run();
      if (const auto stored = stored_result(directory, spec)) {
        found = to_json(*stored).dump();
      }
    } catch (const ConfigError&) {
      refusal = std::current_exception();
      is_config = true;
    } catch (...) {
      refusal = std::current_exception();
    }
  }
  if (cluster->any(refusal != nullptr)) {
    // The same kind everywhere: the launcher's exit code is that of whoever
    // happens to end first.
    is_config = cluster->any(is_config);
    if (refusal) std::rethrow_exception(refusal);
    constexpr const char* kSeeFirst =
        "worker 0 refused the run; see its message";
    if (is_config) throw ConfigError(kSeeFirst);
    throw Error(kSeeFirst);
  }
  found = cluster->broadcast(found);
  if (!found.empty()) {
    TrainResult result = result_from_json(nlohmann::json::parse(found));
    result.was_stored = true;
    return result;
  }
  return train_in(setup, *cluster, directory, parts, hooks);
}

} // namespace grapevine::train
