#include "net/launch_environment.h"

#include "base/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace grapevine::net {
namespace {

using Variables = std::map<std::string, std::string>;

LaunchEnvironment read(const Variables& variables) {
  return read_launch_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt
                                    : std::optional(found->second);
  });
}

// What the error says, which must name `variable`.
void expect_refusal(const Variables& variables, const std::string& variable) {
  try {
    read(variables);
    ADD_FAILURE() << "no error names " << variable;
  } catch (const ConfigError& error) {
    EXPECT_NE(
        std::string(error.what()).find("variable " + variable),
        std::string::npos)
        << error.what();
  }
}

const Variables kTorchrun = {
    {"RANK", "3"},
    {"WORLD_SIZE", "8"},
    {"LOCAL_RANK", "1"},
    {"LOCAL_WORLD_SIZE", "2"},
    {"MASTER_ADDR", "head"},
    {"MASTER_PORT", "29500"},
};

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) {
    variables[name] = value;
  }
  return variables;
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

const Variables kOpenMpi = {
    {"OMPI_COMM_WORLD_RANK", "5"},
    {"OMPI_COMM_WORLD_SIZE", "6"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
    {"PMIX_RANK", "5"}};

const Variables kSlurm = {
    {"SLURM_PROCID", "5"},
    {"SLURM_STEP_ID", "1"},
    {"SLURM_NTASKS", "8"},
    {"SLURM_LOCALID", "1"},
    {"SLURM_JOB_ID", "4711"},
    {"SLURM_JOB_NODELIST", "node[01-04]"},
    {"SLURM_STEP_NODELIST", "node[03-04]"}};

// "torchrun gloo 3/8, local 1/2, head:29500 served".
std::string describe(const LaunchEnvironment& found) {
  constexpr const char* kKinds[] =
      {"alone", "mpi", "torchrun", "slurm", "grapevine"};
  std::string text = fmt::format(
      "{} {} {}/{}",
      kKinds[static_cast<int>(found.kind)],
      found.transport,
      found.rank,
      found.size);
  if (const auto& place = found.local_place)
    text += fmt::format(", local {}/{}", place->rank, place->size);
  if (found.master_port > 0)
    text += fmt::format(", {}:{}", found.master_address, found.master_port);
  if (!found.store_file.empty()) text += ", " + found.store_file;
  if (found.store_is_served) text += " served";
  if (found.restart_attempt > 0)
    text += fmt::format(", attempt {}", found.restart_attempt);
  if (found.restart_of_worker > 0)
    text += fmt::format(", restart {}", found.restart_of_worker);
  return text;
}

TEST(LaunchEnvironment, IsReadFromTheLauncher) {
  const std::pair<Variables, std::string> kCases[] = {
      {{}, "alone virtual 0/1"},
      {kOpenMpi, "mpi mpi 5/6, local 1/2"},
      {{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}},
       "mpi mpi 1/4"},
      {kTorchrun, "torchrun gloo 3/8, local 1/2, head:29500"},
      // The node is known if both numbers are told.
      {without(kTorchrun, "LOCAL_RANK"), "torchrun gloo 3/8, head:29500"},
      {without(kTorchrun, "LOCAL_WORLD_SIZE"), "torchrun gloo 3/8, head:29500"},
      {with(
           kTorchrun,
           {{"TORCHELASTIC_RUN_ID", "none"},
            {"TORCHELASTIC_USE_AGENT_STORE", "True"},
            {"TORCHELASTIC_RESTART_COUNT", "2"},
            // srun torchrun: these are the agent's.
            {"OMPI_COMM_WORLD_RANK", "0"},
            {"SLURM_PROCID", "0"},
            {"SLURM_STEP_ID", "0"},
            {"SLURM_NTASKS", "4"}}),
       "torchrun gloo 3/8, local 1/2, head:29500 served, attempt 2"},
      // grapevine launch comes first.
      {with(
           kTorchrun,
           {{"GRAPEVINE_LAUNCH", "1"},
            {"TORCHELASTIC_USE_AGENT_STORE", "True"},
            {"GRAPEVINE_RESTART", "3"},
            {"OMPI_COMM_WORLD_RANK", "0"},
            {"OMPI_COMM_WORLD_SIZE", "1"}}),
       "grapevine gloo 3/8, local 1/2, head:29500 served, restart 3"},
      // A file instead of a port.
      {{{"RANK", "0"},
        {"WORLD_SIZE", "2"},
        {"GRAPEVINE_STORE_FILE", "/shared/run7"}},
       "torchrun gloo 0/2, /shared/run7"},
      // 15000 + (4711 * 101 + 1) % 15000
      {kSlurm, "slurm gloo 5/8, node03:25812"},
      {with(kSlurm, {{"PMIX_RANK", "5"}}), "slurm mpi 5/8, node03:25812"},
      {with(kSlurm, {{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "12345"}}),
       "slurm gloo 5/8, 10.0.0.1:12345"},
      // A batch script, and a step of one task.
      {without(kSlurm, "SLURM_STEP_ID"), "alone virtual 0/1"},
      {with(kSlurm, {{"SLURM_NTASKS", "1"}}), "alone virtual 0/1"},
      {with(kSlurm, {{"SLURM_STEP_NUM_TASKS", "1"}}), "alone virtual 0/1"}};
  for (const auto& [variables, expected] : kCases)
    EXPECT_EQ(describe(read(variables)), expected);
}

TEST(LaunchEnvironment, LinksAndSlowWorkers) {
  const Variables launched = with(kTorchrun, {{"GRAPEVINE_LAUNCH", "1"}});
  EXPECT_EQ(read(launched).link_table, -1);
  EXPECT_FALSE(read(launched).slow.slows());
  const Variables linked = with(
      launched,
      {{"GRAPEVINE_LINK", "1gbit,2ms"},
       {"GRAPEVINE_LINK_TABLE", "7"},
       {"GRAPEVINE_SLOW", "3:2.0"}});
  EXPECT_EQ(read(linked).link, parse_link("1gbit,2ms"));
  EXPECT_EQ(read(linked).link_table, 7);
  EXPECT_EQ(read(linked).slow, parse_slow("3:2"));
  EXPECT_TRUE(read({{"GRAPEVINE_SLOW", "random:0.1:2"}}).slow.slows());
  expect_refusal(
      without(linked, "GRAPEVINE_LINK_TABLE"),
      "GRAPEVINE_LINK_TABLE");
  expect_refusal(with(linked, {{"GRAPEVINE_LINK", "fast"}}), "GRAPEVINE_LINK");
  expect_refusal(with(linked, {{"GRAPEVINE_SLOW", "me"}}), "GRAPEVINE_SLOW");
  expect_refusal(
      with(kTorchrun, {{"GRAPEVINE_LINK", "1gbit"}}),
      "GRAPEVINE_LINK");
}

TEST(LaunchEnvironment, OtherVariables) {
  const auto plain = read(kTorchrun);
  EXPECT_TRUE(plain.shares_memory);
  EXPECT_EQ(plain.on_failure, "");
  const auto environment = read(with(
      kTorchrun,
      {{"HOST_ADDRESS", "10.0.0.3"},
       {"GLOO_SOCKET_IFNAME", "eth1"},
       {"GRAPEVINE_ON_FAILURE", "restart"},
       {"GRAPEVINE_SHARE_MEMORY", "0"}}));
  EXPECT_EQ(environment.host_address, "10.0.0.3");
  EXPECT_EQ(environment.interface, "eth1");
  EXPECT_EQ(environment.on_failure, "restart");
  EXPECT_FALSE(environment.shares_memory);
}

TEST(LaunchEnvironment, HalfSetIsRefused) {
  for (const char* name :
       {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    expect_refusal(without(kTorchrun, name), name);
  }
  expect_refusal({{"GRAPEVINE_LAUNCH", "1"}}, "RANK");
  expect_refusal({{"TORCHELASTIC_RUN_ID", "x"}}, "RANK");
  expect_refusal({{"OMPI_COMM_WORLD_RANK", "0"}}, "OMPI_COMM_WORLD_SIZE");
  expect_refusal({{"OMPI_COMM_WORLD_SIZE", "2"}}, "OMPI_COMM_WORLD_RANK");
  expect_refusal({{"PMI_RANK", "0"}}, "PMI_SIZE");
  expect_refusal(with(kSlurm, {{"MASTER_ADDR", "a"}}), "MASTER_PORT");
  auto nowhere = without(kSlurm, "SLURM_JOB_NODELIST");
  nowhere.erase("SLURM_STEP_NODELIST");
  expect_refusal(nowhere, "SLURM_JOB_NODELIST");
}

TEST(LaunchEnvironment, NotANumberIsRefused) {
  const std::pair<const char*, const char*> kCases[] = {
      {"RANK", "three"},
      {"RANK", "-1"},
      {"RANK", "3x"},
      {"RANK", "8"},
      {"RANK", ""},
      {"WORLD_SIZE", "0"},
      {"WORLD_SIZE", "99999999999"},
      {"MASTER_PORT", "0"},
      {"MASTER_PORT", "65536"}};
  for (const auto& [name, value] : kCases)
    expect_refusal(with(kTorchrun, {{name, value}}), name);
}

TEST(FirstHost, OfNodeLists) {
  EXPECT_EQ(first_host("node7"), "node7");
  EXPECT_EQ(first_host("a,b"), "a");
  EXPECT_EQ(first_host("node[01-04,07],other"), "node01");
  EXPECT_EQ(first_host("node[7,9]"), "node7");
  EXPECT_EQ(first_host("node[12]"), "node12");
  EXPECT_EQ(first_host("r[1-2]n[03-04]"), "r1n03");
  EXPECT_EQ(first_host("gpu-[2-3].cluster"), "gpu-2.cluster");
  EXPECT_THROW(first_host(""), ConfigError);
  EXPECT_THROW(first_host("node[01"), ConfigError);
}

} // namespace
} // namespace grapevine::net
