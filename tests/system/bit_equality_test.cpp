// The same spec and seed lead to the same parameters, bit for bit, in the
// virtual cluster (with 1 and 2 threads), over MPI and over Gloo (with two
// bucket sizes), for every preset. Starting processes is what takes the time
// here, so the product of presets, workers and transports is thinned out to
// where every two of them have met; tests/cluster has it whole, in threads.
#include "system/program.h"

#include <set>

namespace grapevine::system {
namespace {

enum class Place { kMpi, kGloo };

struct Case {
  std::string preset;
  int n;
  Place place;
  bool two_threads; // the virtual cluster, once more
};

class BitEquality : public ::testing::TestWithParam<Case> {};

TEST_P(BitEquality, OfVirtualWorkersAndProcesses) {
  const auto [preset, n, place, two_threads] = GetParam();
  const cli::Scratch scratch;
  const auto run = [&](const std::string& name) {
    Words words = small_run(preset, scratch.file(name));
    // Often enough for k to change within seven steps.
    if (preset == "ada-auto") words = words + Words{"--ada-every", "1"};
    return words;
  };
  const auto virtually = [&](const std::string& threads) {
    return result_of(cli::grapevine(
        run("threads-" + threads) +
        Words{"-n", std::to_string(n), "--threads", threads}));
  };
  const auto one = virtually("1");
  std::vector<nlohmann::json> others;
  if (two_threads) others.push_back(virtually("2"));
  others.push_back(result_of(
      place == Place::kMpi
          ? over_mpi(n, run("mpi") + Words{"--bucket-bytes", "65536"})
          : over_gloo(n, run("gloo"))));
  for (const auto& other : others) {
    for (const char* key :
         {"parameters_sha256",
          "train_loss",
          "test_accuracy",
          "averaged_model_accuracy",
          "consensus_distance",
          "messages",
          "bytes",
          "steps"}) {
      EXPECT_EQ(one.at(key), other.at(key)) << key;
    }
  }
}

// Presets and workers in turns over both transports.
std::vector<Case> cases() {
  std::vector<Case> list;
  int turn = 0;
  for (const char* preset :
       {"c-complete",
        "d-complete",
        "d-exponential",
        "d-torus",
        "d-ring",
        "ada",
        "ada-auto"}) {
    for (const int n : {2, 3, 4, 7}) {
      const Place place = turn++ % 2 == 0 ? Place::kMpi : Place::kGloo;
      list.push_back({preset, n, place, n == 3 || n == 7});
    }
    ++turn;
  }
  list.push_back({"gradient-tracking", 4, Place::kMpi, false});
  list.push_back({"gradient-tracking", 4, Place::kGloo, true});
  return list;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    BitEquality,
    ::testing::ValuesIn(cases()),
    [](const auto& info) {
      std::string name = info.param.preset + std::to_string(info.param.n) +
                         (info.param.place == Place::kMpi ? "Mpi" : "Gloo");
      std::erase(name, '-');
      return name;
    });

// Group averages by nodes, and pairs with a triple at an odd n.
TEST(BitEquality, NodesAndSchedulesOfPairs) {
  struct Shape {
    const char* graph;
    int n;
    const char* per_node;
  };
  const cli::Scratch scratch;
  for (const auto& [graph, n, per_node] : std::initializer_list<Shape>{
           {"complete", 6, "2"},
           {"aer", 4, "2"},
           {"aer", 6, "2"},
           {"one-peer-exponential", 5, "1"}}) {
    const std::string name = graph + std::to_string(n) + per_node;
    SCOPED_TRACE(name);
    const auto run = [&](const std::string& where) {
      return small_run("d-ring", scratch.file(name + where)) +
             Words{"--graph", graph, "--workers-per-node", per_node};
    };
    const auto one = result_of(
        cli::grapevine(run("virtual") + Words{"-n", std::to_string(n)}));
    const auto mpi =
        result_of(over_mpi(n, run("mpi") + Words{"--bucket-bytes", "65536"}));
    const auto gloo = result_of(over_gloo(n, run("gloo")));
    for (const char* key : {"parameters_sha256", "messages", "bytes"}) {
      EXPECT_EQ(one.at(key), mpi.at(key)) << key;
      EXPECT_EQ(one.at(key), gloo.at(key)) << key;
    }
  }
}

// Push-sum, where weights stay 1 and where they do not.
TEST(BitEquality, DirectedGraphs) {
  const cli::Scratch scratch;
  const std::string edges =
      scratch.write("edges", "0 1\n1 2\n2 0\n0 2\n2 3\n3 0\n");
  const std::vector<Words> graphs = {
      {"--graph", "one-peer-directed"},
      {"--graph", "directed-edges", "--edges", edges}};
  for (const std::string preset : {"sgp", "sgp-overlapped"}) {
    for (const Words& graph : graphs) {
      const std::string name = preset + graph[1];
      SCOPED_TRACE(name);
      const auto run = [&](const std::string& where) {
        return small_run(preset, scratch.file(name + where)) + graph;
      };
      const auto one =
          result_of(cli::grapevine(run("virtual") + Words{"-n", "4"}));
      const auto mpi =
          result_of(over_mpi(4, run("mpi") + Words{"--bucket-bytes", "65536"}));
      const auto gloo = result_of(over_gloo(4, run("gloo")));
      for (const char* key : {"parameters_sha256", "messages", "bytes"}) {
        EXPECT_EQ(one.at(key), mpi.at(key)) << key;
        EXPECT_EQ(one.at(key), gloo.at(key)) << key;
      }
    }
  }
}

TEST(BitEquality, Splits) {
  const cli::Scratch scratch;
  std::set<std::string> results;
  for (const std::string split : {"iid", "class", "dirichlet"}) {
    SCOPED_TRACE(split);
    const auto run = [&](const std::string& where) {
      return small_run("d-ring", scratch.file(split + where)) +
             Words{"--split", split, "--partial", "keep"};
    };
    const auto one =
        result_of(cli::grapevine(run("virtual") + Words{"-n", "3"}));
    const auto gloo = result_of(over_gloo(3, run("gloo")));
    EXPECT_EQ(one.at("parameters_sha256"), gloo.at("parameters_sha256"));
    results.insert(one.at("parameters_sha256").get<std::string>());
  }
  EXPECT_EQ(results.size(), 3u);
}

TEST(BitEquality, EveryOptimizer) {
  const cli::Scratch scratch;
  const std::vector<Words> optimizers = {
      {"--optimizer", "adam", "--weight-decay", "0.01", "--clip", "1"},
      {"--optimizer", "accumadamw", "--weight-decay", "0.1", "--window", "3"}};
  for (size_t i = 0; i < optimizers.size(); ++i) {
    const auto run = [&](const std::string& name) {
      return small_run("d-ring", scratch.file(name + std::to_string(i))) +
             Words{"--lr", "0.002"} + optimizers[i];
    };
    const auto one =
        result_of(cli::grapevine(run("virtual") + Words{"-n", "3"}));
    const auto mpi =
        result_of(over_mpi(3, run("mpi") + Words{"--bucket-bytes", "65536"}));
    const auto gloo = result_of(over_gloo(3, run("gloo")));
    for (const auto* other : {&mpi, &gloo}) {
      EXPECT_EQ(one.at("parameters_sha256"), other->at("parameters_sha256"));
      EXPECT_EQ(one.at("train_loss"), other->at("train_loss"));
    }
  }
}

// Limited links and slow workers change times, never results; workers that
// pass for nodes are found to be nodes.
TEST(BitEquality, LimitedLinks) {
  const cli::Scratch scratch;
  const auto run = [&](const std::string& name) {
    return small_run("d-ring", scratch.file(name)) + Words{"--graph", "aer"};
  };
  const auto one = result_of(cli::grapevine(
      run("virtual") + Words{"-n", "4", "--workers-per-node", "2"}));
  const auto linked = result_of(cli::grapevine(
      Words{"launch", "-n", "4", "--workers-per-node", "2"} +
      Words{"--link", "1gbit,1ms", "--slow", "3:1.5", "--"} + run("linked")));
  for (const char* key : {"parameters_sha256", "messages", "bytes"})
    EXPECT_EQ(one.at(key), linked.at(key)) << key;
}

TEST(BitEquality, BucketSizeAndTransportWithBatchNorm) {
  const cli::Scratch scratch;
  const auto run = [&](const std::string& name) {
    return small_run("d-ring", scratch.file(name)) + Words{
                                                         "--model",
                                                         "resnet20",
                                                         "--batch",
                                                         "2",
                                                         "--steps",
                                                         "3",
                                                         "--buffers",
                                                         "averaged",
                                                         "--clip",
                                                         "1"};
  };
  const auto one = result_of(cli::grapevine(run("virtual") + Words{"-n", "3"}));
  for (const char* bucket : {"65536", "4194304"}) {
    const auto gloo = result_of(over_gloo(
        3,
        run(std::string("gloo") + bucket) + Words{"--bucket-bytes", bucket}));
    EXPECT_EQ(one.at("parameters_sha256"), gloo.at("parameters_sha256"));
  }
}

} // namespace
} // namespace grapevine::system
