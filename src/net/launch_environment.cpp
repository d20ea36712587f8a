#include "net/launch_environment.h"

#include "base/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>

namespace grapevine::net {
namespace {

using Kind = LaunchEnvironment::Kind;

// Environment variables, with the errors that a half-set environment deserves.
class Variables {
 public:
  explicit Variables(const GetEnv& get_env) : get_env_(get_env) {}

  // A variable that is set to nothing counts as not set.
  std::optional<std::string> text(const char* name) const {
    auto value = get_env_(name);
    if (value && value->empty()) return std::nullopt;
    return value;
  }

  bool has(const char* name) const { return text(name).has_value(); }

  std::optional<int64_t> number(const char* name, int64_t least = 0) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    int64_t number = 0;
    const char* end = value->data() + value->size();
    const auto result = std::from_chars(value->data(), end, number);
    if (result.ec != std::errc() || result.ptr != end || number < least ||
        number > INT32_MAX) {
      throw ConfigError(fmt::format(
          "environment variable {}: '{}' is not an integer of at least {}",
          name,
          *value,
          least));
    }
    return number;
  }

  std::string need_text(const char* name, const char* because) const {
    const auto value = text(name);
    if (!value) throw_missing(name, because);
    return *value;
  }

  int need_number(const char* name, const char* because, int64_t least = 0)
      const {
    const auto value = number(name, least);
    if (!value) throw_missing(name, because);
    return static_cast<int>(*value);
  }

  int number_or(const char* name, int64_t fallback, int64_t least = 0) const {
    return static_cast<int>(number(name, least).value_or(fallback));
  }

 private:
  [[noreturn]] static void throw_missing(
      const char* name,
      const char* because) {
    throw ConfigError(fmt::format(
        "environment variable {} is not set, although {}",
        name,
        because));
  }

  const GetEnv& get_env_;
};

void check_rank(const LaunchEnvironment& environment, const char* name) {
  if (environment.rank < environment.size) return;
  throw ConfigError(fmt::format(
      "environment variable {}: {} is not below the number of workers, {}",
      name,
      environment.rank,
      environment.size));
}

int read_port(const Variables& variables, const char* because) {
  const int port = variables.need_number("MASTER_PORT", because, 1);
  if (port > 65535) {
    throw ConfigError(fmt::format(
        "environment variable MASTER_PORT: {} is not a port (1 to 65535)",
        port));
  }
  return port;
}

std::optional<LocalPlace> read_local_place(
    const Variables& variables,
    const char* rank_name,
    const char* size_name) {
  const auto rank = variables.number(rank_name);
  const auto size = variables.number(size_name, 1);
  if (!rank || !size) return std::nullopt;
  return LocalPlace{static_cast<int>(*rank), static_cast<int>(*size)};
}

// MASTER_ADDR and MASTER_PORT: both or none.
void read_master(const Variables& variables, LaunchEnvironment& environment) {
  if (!variables.has("MASTER_ADDR") && !variables.has("MASTER_PORT")) return;
  environment.master_address =
      variables.need_text("MASTER_ADDR", "MASTER_PORT is");
  environment.master_port = read_port(variables, "MASTER_ADDR is");
}

void read_store_file(
    const Variables& variables,
    LaunchEnvironment& environment) {
  environment.store_file = variables.text("GRAPEVINE_STORE_FILE").value_or("");
}

LaunchEnvironment read_torchrun(const Variables& variables, Kind kind) {
  const char* because = kind == Kind::kGrapevine ? "GRAPEVINE_LAUNCH is"
                        : variables.has("TORCHELASTIC_RUN_ID")
                            ? "TORCHELASTIC_RUN_ID is"
                        : variables.has("RANK") ? "RANK is"
                                                : "WORLD_SIZE is";
  LaunchEnvironment environment;
  environment.kind = kind;
  environment.transport = kGloo.name;
  environment.rank = variables.need_number("RANK", because);
  environment.size = variables.need_number("WORLD_SIZE", because, 1);
  check_rank(environment, "RANK");
  environment.local_place =
      read_local_place(variables, "LOCAL_RANK", "LOCAL_WORLD_SIZE");
  environment.restart_attempt =
      variables.number_or("TORCHELASTIC_RESTART_COUNT", 0);
  environment.store_is_served =
      variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  read_store_file(variables, environment);
  if (environment.store_file.empty()) {
    environment.master_address =
        variables.need_text("MASTER_ADDR", "RANK and WORLD_SIZE are");
    environment.master_port = read_port(variables, "RANK and WORLD_SIZE are");
  }
  return environment;
}

// Each MPI has its own names for the same four numbers.
struct MpiNames {
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};

constexpr MpiNames kMpiNames[] = {
    {"OMPI_COMM_WORLD_RANK",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
};

std::optional<LaunchEnvironment> read_mpirun(const Variables& variables) {
  for (const MpiNames& names : kMpiNames) {
    if (!variables.has(names.rank) && !variables.has(names.size)) continue;
    LaunchEnvironment environment;
    environment.kind = Kind::kMpi;
    environment.transport = kMpi.name;
    environment.rank = variables.need_number(
        names.rank,
        fmt::format("{} is", names.size).c_str());
    environment.size = variables.need_number(
        names.size,
        fmt::format("{} is", names.rank).c_str(),
        1);
    check_rank(environment, names.rank);
    environment.local_place =
        read_local_place(variables, names.local_rank, names.local_size);
    // For those who ask for gloo under mpirun.
    read_store_file(variables, environment);
    read_master(variables, environment);
    return environment;
  }
  return std::nullopt;
}

// All tasks of a step compute the same port, below those that the kernel gives
// out; two steps of a job, or two jobs on a node, hardly ever the same.
int slurm_port(const Variables& variables) {
  constexpr int64_t kFirst = 15000;
  constexpr int64_t kCount = 15000;
  const int64_t job = variables.number("SLURM_JOB_ID").value_or(0);
  const int64_t step = variables.number("SLURM_STEP_ID").value_or(0);
  return static_cast<int>(kFirst + (job * 101 + step) % kCount);
}

// Slurm sets SLURM_PROCID in batch scripts too, where nothing was started n
// times: only a step of several tasks counts.
std::optional<LaunchEnvironment> read_srun(const Variables& variables) {
  if (!variables.has("SLURM_PROCID") || !variables.has("SLURM_STEP_ID")) {
    return std::nullopt;
  }
  LaunchEnvironment environment;
  environment.size = variables.number_or(
      "SLURM_STEP_NUM_TASKS",
      variables.number_or("SLURM_NTASKS", 1, 1),
      1);
  if (environment.size == 1) return std::nullopt;
  environment.kind = Kind::kSlurm;
  environment.rank = variables.need_number("SLURM_PROCID", "SLURM_STEP_ID is");
  check_rank(environment, "SLURM_PROCID");
  environment.transport = variables.has("PMIX_RANK") ? kMpi.name : kGloo.name;
  environment.restart_attempt = variables.number_or("SLURM_RESTART_COUNT", 0);
  read_store_file(variables, environment);
  read_master(variables, environment);
  if (!environment.store_file.empty() || environment.master_port > 0) {
    return environment;
  }
  const auto nodes = variables.text("SLURM_STEP_NODELIST");
  environment.master_address = first_host(
      nodes ? *nodes
            : variables.need_text("SLURM_JOB_NODELIST", "SLURM_PROCID is"));
  environment.master_port = slurm_port(variables);
  return environment;
}

LaunchEnvironment read_launcher(const Variables& variables) {
  if (variables.has("GRAPEVINE_LAUNCH")) {
    return read_torchrun(variables, Kind::kGrapevine);
  }
  // Under torchrun the variables of what started torchrun are there too.
  if (variables.has("TORCHELASTIC_RUN_ID")) {
    return read_torchrun(variables, Kind::kTorchrun);
  }
  if (auto environment = read_mpirun(variables)) return *environment;
  if (variables.has("RANK") || variables.has("WORLD_SIZE")) {
    return read_torchrun(variables, Kind::kTorchrun);
  }
  if (auto environment = read_srun(variables)) return *environment;
  return {};
}

// The words of the user, with the name of the variable before what is wrong.
template <typename Parse>
auto parsed(const char* name, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const ConfigError& error) {
    throw ConfigError(
        fmt::format("environment variable {}: {}", name, error.what()));
  }
}

void read_links(const Variables& variables, LaunchEnvironment& environment) {
  if (const auto slow = variables.text("GRAPEVINE_SLOW")) {
    environment.slow = parsed("GRAPEVINE_SLOW", *slow, parse_slow);
  }
  const auto link = variables.text("GRAPEVINE_LINK");
  if (!link) return;
  if (environment.kind != Kind::kGrapevine) {
    throw ConfigError(
        "environment variable GRAPEVINE_LINK: links are limited by `grapevine "
        "launch --link`, which makes the table that its workers share; other "
        "launchers have none");
  }
  environment.link = parsed("GRAPEVINE_LINK", *link, parse_link);
  environment.link_table =
      variables.need_number("GRAPEVINE_LINK_TABLE", "GRAPEVINE_LINK is");
}

} // namespace

LaunchEnvironment read_launch_environment(const GetEnv& get_env) {
  const Variables variables(get_env);
  auto environment = read_launcher(variables);
  read_links(variables, environment);
  environment.host_address = variables.text("HOST_ADDRESS").value_or("");
  environment.restart_of_worker = variables.number_or("GRAPEVINE_RESTART", 0);
  environment.on_failure = variables.text("GRAPEVINE_ON_FAILURE").value_or("");
  environment.interface = variables.text("GLOO_SOCKET_IFNAME").value_or("");
  environment.shares_memory =
      variables.number_or("GRAPEVINE_SHARE_MEMORY", 1) != 0;
  return environment;
}

LaunchEnvironment read_launch_environment() {
  return read_launch_environment([](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

std::string first_host(const std::string& node_list) {
  // Up to the first comma outside of brackets, the first alternative inside.
  std::string host;
  size_t at = 0;
  while (at < node_list.size() && node_list[at] != ',') {
    if (node_list[at] != '[') {
      host += node_list[at++];
      continue;
    }
    const size_t close = node_list.find(']', at);
    const size_t end = node_list.find_first_of(",-]", at + 1);
    if (close == std::string::npos || end == std::string::npos) {
      throw ConfigError(
          fmt::format("'{}' is not a Slurm node list", node_list));
    }
    host += node_list.substr(at + 1, end - at - 1);
    at = close + 1;
  }
  if (host.empty()) {
    throw ConfigError(fmt::format("'{}' is not a Slurm node list", node_list));
  }
  return host;
}

} // namespace grapevine::net
