// A neighbour exchange of 25 M floats between two processes against the raw
// backend. Started by perf/run, under mpirun (compares with MPI_Sendrecv) or
// under `grapevine launch` (with c10d's send and recv of one buffer).
#include "base/check.h"
#include "mix/collectives.h"
#include "mix/communicator.h"
#include "net/transports.h"
#include "perf/bench.h"

#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

// Open MPI's header would pull in the C++ bindings, which nobody links.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace grapevine::perf {
namespace {

constexpr int64_t kFloats = 25'000'000;
constexpr int kTurns = 9;

struct Buffers {
  explicit Buffers(int rank)
      : outgoing(kFloats, static_cast<float>(rank + 1)),
        incoming(kFloats) {}

  // Wrong result, no number.
  void verify(int rank) {
    for (const float value : incoming) {
      if (value != static_cast<float>(2 - rank)) {
        throw std::runtime_error("the exchange delivered something else");
      }
    }
    std::ranges::fill(incoming, 0.0F);
  }

  std::vector<float> outgoing;
  std::vector<float> incoming;
};

// Both processes begin a turn together.
Turns measure(
    mix::Communicator& communicator,
    Buffers& buffers,
    const std::function<void()>& ours,
    const std::function<void()>& rival) {
  const auto together = [&](const std::function<void()>& work) {
    mix::barrier(communicator);
    const double seconds = seconds_of(work);
    buffers.verify(communicator.rank());
    return seconds;
  };
  together(ours);
  together(rival);
  Turns turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    turns.ours.push_back(together(ours));
    turns.rival.push_back(together(rival));
  }
  return turns;
}

Row over_mpi(mix::Communicator& communicator, Buffers& buffers) {
  const int peer = 1 - communicator.rank();
  const Turns turns = measure(
      communicator,
      buffers,
      [&] {
        mix::exchange(communicator, peer, buffers.outgoing, buffers.incoming);
      },
      [&] {
        MPI_Sendrecv(
            buffers.outgoing.data(),
            kFloats,
            MPI_FLOAT,
            peer,
            7,
            buffers.incoming.data(),
            kFloats,
            MPI_FLOAT,
            peer,
            7,
            MPI_COMM_WORLD,
            MPI_STATUS_IGNORE);
      });
  return time_row(
      "exchange of 25 M floats, MPI, vs MPI_Sendrecv",
      turns,
      "<=1.05");
}

Row over_gloo(
    mix::Communicator& communicator,
    Buffers& buffers,
    const net::LaunchEnvironment& environment) {
  const int rank = communicator.rank();
  const int peer = 1 - rank;
  c10d::TCPStoreOptions store_options;
  store_options.port = static_cast<uint16_t>(environment.master_port);
  auto store = c10::make_intrusive<c10d::PrefixStore>(
      "rival",
      c10::make_intrusive<c10d::TCPStore>(
          environment.master_address,
          store_options));
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  c10d::ProcessGroupGloo group(store, rank, 2, options);
  std::vector<torch::Tensor> outgoing = {
      torch::from_blob(buffers.outgoing.data(), {kFloats})};
  std::vector<torch::Tensor> incoming = {
      torch::from_blob(buffers.incoming.data(), {kFloats})};
  const Turns turns = measure(
      communicator,
      buffers,
      [&] {
        mix::exchange(communicator, peer, buffers.outgoing, buffers.incoming);
      },
      [&] {
        auto receive = group.recv(incoming, peer, 0);
        auto send = group.send(outgoing, peer, 0);
        send->wait();
        receive->wait();
      });
  return time_row(
      "exchange of 25 M floats, Gloo, vs c10d send + recv",
      turns,
      "<=1.05");
}

int run(const std::string& file) {
  const auto environment = net::read_launch_environment();
  const bool is_mpi = environment.transport == "mpi";
  mix::Communicator communicator(
      is_mpi ? net::make_mpi_transport()
             : net::make_gloo_transport(environment, std::chrono::seconds(60)),
      {.deadline = std::chrono::seconds(60)});
  GV_CHECK_EQ(communicator.size(), 2);
  Buffers buffers(communicator.rank());
  const Row row = is_mpi ? over_mpi(communicator, buffers)
                         : over_gloo(communicator, buffers, environment);
  if (communicator.rank() == 0) write_rows(file, {row});
  mix::barrier(communicator);
  return 0;
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  return grapevine::perf::run(argc > 1 ? argv[1] : "exchange.json");
}
