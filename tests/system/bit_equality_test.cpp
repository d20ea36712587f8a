// The same spec and seed lead to the same parameters, bit for bit, in the
// virtual cluster (with 1 and 2 threads), over MPI and over Gloo (with two
// bucket sizes), for every preset. Starting processes is what takes the time
// here, so the product of presets, workers and transports is thinned out;
// tests/mix has it whole, in threads.
#include "system/program.h"

#include <fmt/format.h>

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

const char* name_of(Place place) {
  return place == Place::kMpi ? "mpi" : "gloo";
}

// MPI with buckets of another size than the default.
nlohmann::json result_over(Place place, int n, const Words& words) {
  return result_of(
      place == Place::kMpi ? over_mpi(n, words + "--bucket-bytes 65536")
                           : over_gloo(n, words));
}

nlohmann::json virtual_result(int n, const Words& words) {
  return result_of(cli::grapevine(words + Words{"-n", std::to_string(n)}));
}

void expect_same_messages(
    const nlohmann::json& one,
    const nlohmann::json& other) {
  for (const char* key : {"parameters_sha256", "messages", "bytes"})
    EXPECT_EQ(one.at(key), other.at(key)) << key;
}

class BitEquality : public ::testing::TestWithParam<Case> {};

TEST_P(BitEquality, OfVirtualWorkersAndProcesses) {
  const auto [preset, n, place, two_threads] = GetParam();
  const cli::Scratch scratch;
  const auto run = [&](const std::string& name) {
    Words words = small_run(preset, scratch.file(name));
    // Often enough for k to change within seven steps.
    if (preset == "ada-auto") words = words + "--ada-every 1";
    return words;
  };
  const auto virtually = [&](const std::string& threads) {
    return virtual_result(
        n,
        run("threads-" + threads) + Words{"--threads", threads});
  };
  const auto one = virtually("1");
  std::vector<nlohmann::json> others;
  if (two_threads) others.push_back(virtually("2"));
  others.push_back(result_over(place, n, run(name_of(place))));
  for (const auto& other : others)
    expect_same_run(other, one);
}

// Every preset over both transports, every n over both transports.
std::vector<Case> cases() {
  std::vector<Case> list;
  const int ns[] = {7, 2, 4, 3};
  size_t turn = 0;
  for (const char* preset :
       {"c-complete",
        "d-complete",
        "d-exponential",
        "d-torus",
        "d-ring",
        "ada",
        "ada-auto"}) {
    list.push_back({preset, ns[turn % 4], Place::kMpi, true});
    list.push_back({preset, ns[(turn + 2) % 4], Place::kGloo, false});
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

// Packed messages change neither values nor what is counted. Limited links, so
// that all of them are sent and none is read in shared memory.
TEST(BitEquality, PackedMessages) {
  const cli::Scratch scratch;
  for (const char* preset : {"c-complete", "d-ring", "dadam"}) {
    SCOPED_TRACE(preset);
    const auto run = [&](const std::string& where) {
      return small_run(preset, scratch.file(preset + where)) +
             "--graph complete";
    };
    const auto words = run("-packed") + "--packing";
    // Over links that stand for a network, or beside shared memory.
    const auto packed =
        preset == std::string("d-ring")
            ? over_gloo(3, words)
            : cli::grapevine(split("launch -n 3 --link 10gbit --") + words);
    expect_same_messages(virtual_result(3, run("-virtual")), result_of(packed));
  }
}

// Group averages by nodes, and pairs with a triple at an odd n.
TEST(BitEquality, NodesAndSchedulesOfPairs) {
  struct Shape {
    const char* graph;
    int n;
    const char* per_node;
    Place place;
  };
  const cli::Scratch scratch;
  for (const auto& [graph, n, per_node, place] : std::initializer_list<Shape>{
           {"complete", 4, "2", Place::kMpi},
           {"complete", 4, "2", Place::kGloo},
           {"aer", 4, "2", Place::kMpi},
           {"aer", 6, "2", Place::kGloo},
           {"one-peer-exponential", 5, "1", Place::kMpi}}) {
    const std::string name = fmt::format("{}{}{}", graph, n, name_of(place));
    SCOPED_TRACE(name);
    const auto run = [&](const std::string& where) {
      return small_run("d-ring", scratch.file(name + where)) +
             Words{"--graph", graph, "--workers-per-node", per_node};
    };
    expect_same_messages(
        virtual_result(n, run("-virtual")),
        result_over(place, n, run("-processes")));
  }
}

// Parameters that are mixed while the next gradient is computed: by nodes, as
// many as are a power of two and not, and with clipping and batches in parts.
TEST(BitEquality, Overlapped) {
  const cli::Scratch scratch;
  const auto run = [&](const std::string& preset, const std::string& name) {
    return small_run(preset, scratch.file(name)) + "--lr 0.002";
  };
  const Words nodes = split("--workers-per-node 2");
  expect_same_messages(
      virtual_result(4, run("accumadam-aer", "aer4") + nodes),
      result_over(Place::kMpi, 4, run("accumadam-aer", "aer4-mpi") + nodes));
  expect_same_messages(
      virtual_result(6, run("dadam-aer", "aer6")),
      result_over(Place::kGloo, 6, run("dadam-aer", "aer6-gloo")));

  const Words clipped = split("--clip 1 --micro-batches 3");
  const auto one = virtual_result(3, run("dadam", "clipped") + clipped);
  for (const char* bucket : {"65536", "4194304"}) {
    SCOPED_TRACE(bucket);
    const auto gloo = over_gloo(
        3,
        run("dadam", std::string("clipped") + bucket) + clipped +
            Words{"--bucket-bytes", bucket});
    expect_same_messages(one, result_of(gloo));
  }
}

// Push-sum, where weights stay 1 and where they do not.
TEST(BitEquality, DirectedGraphs) {
  const cli::Scratch scratch;
  const std::string edges =
      scratch.write("edges", "0 1\n1 2\n2 0\n0 2\n2 3\n3 0\n");
  const Words balanced = split("--graph one-peer-directed");
  const Words unbalanced = {"--graph", "directed-edges", "--edges", edges};
  struct Meeting {
    const char* preset;
    const Words& graph;
    Place place;
  };
  for (const auto& [preset, graph, place] : std::initializer_list<Meeting>{
           {"sgp", balanced, Place::kMpi},
           {"sgp", unbalanced, Place::kGloo},
           {"sgp-overlapped", balanced, Place::kGloo},
           {"sgp-overlapped", unbalanced, Place::kMpi}}) {
    const std::string name = preset + graph[1];
    SCOPED_TRACE(name);
    const auto run = [&](const std::string& where) {
      return small_run(preset, scratch.file(name + where)) + graph;
    };
    expect_same_messages(
        virtual_result(4, run("-virtual")),
        result_over(place, 4, run("-processes")));
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
    const auto one = virtual_result(3, run("virtual"));
    const auto gloo = result_over(Place::kGloo, 3, run("gloo"));
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
             "--lr 0.002" + optimizers[i];
    };
    const auto one = virtual_result(3, run("virtual"));
    for (const Place place : {Place::kMpi, Place::kGloo}) {
      const auto other = result_over(place, 3, run(name_of(place)));
      EXPECT_EQ(one.at("parameters_sha256"), other.at("parameters_sha256"));
      EXPECT_EQ(one.at("train_loss"), other.at("train_loss"));
    }
  }
}

// Limited links and slow workers change times, never results; workers that
// pass for nodes are found to be nodes.
TEST(BitEquality, LimitedLinks) {
  const cli::Scratch scratch;
  const auto run = [&](const std::string& name) {
    return small_run("d-ring", scratch.file(name)) + "--graph aer";
  };
  const auto one = virtual_result(4, run("virtual") + "--workers-per-node 2");
  const auto linked = result_of(cli::grapevine(
      split("launch -n 4 --workers-per-node 2 --link 1gbit,1ms "
            "--slow 3:1.5 --") +
      run("linked")));
  expect_same_messages(one, linked);
}

TEST(BitEquality, BucketSizeAndTransportWithBatchNorm) {
  const cli::Scratch scratch;
  const auto run = [&](const std::string& name) {
    return small_run("d-ring", scratch.file(name)) +
           "--model resnet20 --batch 2 --steps 3 --buffers averaged "
           "--clip 1";
  };
  const auto one = virtual_result(3, run("virtual"));
  for (const char* bucket : {"65536", "4194304"}) {
    const auto gloo = result_of(over_gloo(
        3,
        run(std::string("gloo") + bucket) + Words{"--bucket-bytes", bucket}));
    EXPECT_EQ(one.at("parameters_sha256"), gloo.at("parameters_sha256"));
  }
}

} // namespace
} // namespace grapevine::system
