#include "net/launch_environment.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <map>

namespace grapevine::net {
namespace {

using Kind = LaunchEnvironment::Kind;
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

TEST(LaunchEnvironment, Alone) {
  const auto environment = read({});
  EXPECT_EQ(environment.kind, Kind::kAlone);
  EXPECT_EQ(environment.transport, "virtual");
  EXPECT_EQ(environment.rank, 0);
  EXPECT_EQ(environment.size, 1);
}

TEST(LaunchEnvironment, KnowsTheNodeWhereBothNumbersAreTold) {
  EXPECT_TRUE(read(kTorchrun).local_is_known);
  EXPECT_FALSE(read(without(kTorchrun, "LOCAL_RANK")).local_is_known);
  EXPECT_FALSE(read(without(kTorchrun, "LOCAL_WORLD_SIZE")).local_is_known);
  EXPECT_FALSE(read({}).local_is_known);
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

TEST(LaunchEnvironment, OpenMpi) {
  const auto environment = read({
      {"OMPI_COMM_WORLD_RANK", "5"},
      {"OMPI_COMM_WORLD_SIZE", "6"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
      {"PMIX_RANK", "5"},
  });
  EXPECT_EQ(environment.kind, Kind::kMpi);
  EXPECT_EQ(environment.transport, "mpi");
  EXPECT_EQ(environment.rank, 5);
  EXPECT_EQ(environment.size, 6);
  EXPECT_EQ(environment.local_rank, 1);
  EXPECT_EQ(environment.local_size, 2);
  EXPECT_TRUE(environment.local_is_known);
}

TEST(LaunchEnvironment, Mpich) {
  const auto environment =
      read({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}});
  EXPECT_EQ(environment.kind, Kind::kMpi);
  EXPECT_EQ(environment.rank, 1);
  EXPECT_EQ(environment.size, 4);
  EXPECT_EQ(environment.local_rank, 1);
}

TEST(LaunchEnvironment, TorchrunStyle) {
  const auto environment = read(kTorchrun);
  EXPECT_EQ(environment.kind, Kind::kTorchrun);
  EXPECT_EQ(environment.transport, "gloo");
  EXPECT_EQ(environment.rank, 3);
  EXPECT_EQ(environment.size, 8);
  EXPECT_EQ(environment.local_rank, 1);
  EXPECT_EQ(environment.local_size, 2);
  EXPECT_TRUE(environment.local_is_known);
  EXPECT_EQ(environment.master_address, "head");
  EXPECT_EQ(environment.master_port, 29500);
  EXPECT_FALSE(environment.store_is_served);
}

TEST(LaunchEnvironment, TorchrunItself) {
  const auto environment = read(with(
      kTorchrun,
      {{"TORCHELASTIC_RUN_ID", "none"},
       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
       {"TORCHELASTIC_RESTART_COUNT", "2"},
       // srun torchrun: these are the agent's.
       {"OMPI_COMM_WORLD_RANK", "0"},
       {"SLURM_PROCID", "0"},
       {"SLURM_STEP_ID", "0"},
       {"SLURM_NTASKS", "4"}}));
  EXPECT_EQ(environment.kind, Kind::kTorchrun);
  EXPECT_EQ(environment.rank, 3);
  EXPECT_TRUE(environment.store_is_served);
  EXPECT_EQ(environment.restart_attempt, 2);
}

TEST(LaunchEnvironment, GrapevineLaunchComesFirst) {
  const auto environment = read(with(
      kTorchrun,
      {{"GRAPEVINE_LAUNCH", "1"},
       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
       {"GRAPEVINE_RESTART", "3"},
       {"GRAPEVINE_ON_FAILURE", "restart"},
       {"OMPI_COMM_WORLD_RANK", "0"},
       {"OMPI_COMM_WORLD_SIZE", "1"}}));
  EXPECT_EQ(environment.kind, Kind::kGrapevine);
  EXPECT_EQ(environment.restart_of_worker, 3);
  EXPECT_EQ(environment.on_failure, "restart");
  EXPECT_EQ(environment.transport, "gloo");
  EXPECT_EQ(environment.size, 8);
  EXPECT_TRUE(environment.store_is_served);
}

TEST(LaunchEnvironment, AFileInsteadOfAPort) {
  const auto environment = read(
      {{"RANK", "0"},
       {"WORLD_SIZE", "2"},
       {"GRAPEVINE_STORE_FILE", "/shared/run7"}});
  EXPECT_EQ(environment.store_file, "/shared/run7");
  EXPECT_EQ(environment.master_port, 0);
}

TEST(LaunchEnvironment, WhereToListen) {
  const auto environment = read(with(
      kTorchrun,
      {{"HOST_ADDRESS", "10.0.0.3"}, {"GLOO_SOCKET_IFNAME", "eth1"}}));
  EXPECT_EQ(environment.host_address, "10.0.0.3");
  EXPECT_EQ(environment.interface, "eth1");
}

TEST(LaunchEnvironment, WhetherMemoryIsShared) {
  EXPECT_TRUE(read(kTorchrun).shares_memory);
  const auto environment =
      read(with(kTorchrun, {{"GRAPEVINE_SHARE_MEMORY", "0"}}));
  EXPECT_FALSE(environment.shares_memory);
}

const Variables kSlurm = {
    {"SLURM_PROCID", "5"},
    {"SLURM_STEP_ID", "1"},
    {"SLURM_NTASKS", "8"},
    {"SLURM_LOCALID", "1"},
    {"SLURM_JOB_ID", "4711"},
    {"SLURM_JOB_NODELIST", "node[01-04]"},
    {"SLURM_STEP_NODELIST", "node[03-04]"},
};

TEST(LaunchEnvironment, SrunOverGloo) {
  const auto environment = read(kSlurm);
  EXPECT_EQ(environment.kind, Kind::kSlurm);
  EXPECT_EQ(environment.transport, "gloo");
  EXPECT_EQ(environment.rank, 5);
  EXPECT_EQ(environment.size, 8);
  EXPECT_EQ(environment.local_rank, 1);
  EXPECT_EQ(environment.master_address, "node03");
  // 15000 + (4711 * 101 + 1) % 15000
  EXPECT_EQ(environment.master_port, 25812);
  EXPECT_FALSE(environment.store_is_served);
}

TEST(LaunchEnvironment, SrunOverMpi) {
  EXPECT_EQ(read(with(kSlurm, {{"PMIX_RANK", "5"}})).transport, "mpi");
}

TEST(LaunchEnvironment, SrunWithAMasterOfItsOwn) {
  const auto environment = read(
      with(kSlurm, {{"MASTER_ADDR", "10.0.0.1"}, {"MASTER_PORT", "12345"}}));
  EXPECT_EQ(environment.master_address, "10.0.0.1");
  EXPECT_EQ(environment.master_port, 12345);
}

TEST(LaunchEnvironment, ABatchScriptIsAlone) {
  EXPECT_EQ(read(without(kSlurm, "SLURM_STEP_ID")).kind, Kind::kAlone);
  EXPECT_EQ(read(with(kSlurm, {{"SLURM_NTASKS", "1"}})).kind, Kind::kAlone);
  EXPECT_EQ(
      read(with(kSlurm, {{"SLURM_STEP_NUM_TASKS", "1"}})).kind,
      Kind::kAlone);
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
  expect_refusal(with(kTorchrun, {{"RANK", "three"}}), "RANK");
  expect_refusal(with(kTorchrun, {{"RANK", "-1"}}), "RANK");
  expect_refusal(with(kTorchrun, {{"RANK", "3x"}}), "RANK");
  expect_refusal(with(kTorchrun, {{"RANK", "8"}}), "RANK");
  expect_refusal(with(kTorchrun, {{"RANK", ""}}), "RANK");
  expect_refusal(with(kTorchrun, {{"WORLD_SIZE", "0"}}), "WORLD_SIZE");
  expect_refusal(with(kTorchrun, {{"MASTER_PORT", "0"}}), "MASTER_PORT");
  expect_refusal(with(kTorchrun, {{"MASTER_PORT", "65536"}}), "MASTER_PORT");
  expect_refusal(
      with(kTorchrun, {{"WORLD_SIZE", "99999999999"}}),
      "WORLD_SIZE");
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
