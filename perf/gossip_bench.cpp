// One process of an asynchronous job that is timed: an MLP, real or as timed
// sleeps, with gossip beside it or alone. perf/gossip starts such jobs, on test
// hosts and on loopback.
//
// Under mpirun over MPI, in torchrun's environment over Gloo. After the warm-up
// every worker counts its gradients and averagings for the same number of
// seconds; rank 0 prints one line of JSON with what each has done.
#include "algo/sgd.h"
#include "base/check.h"
#include "base/error.h"
#include "gossip/allowance.h"
#include "gossip/averager.h"
#include "gossip/dynamics.h"
#include "gossip/neighbours.h"
#include "gossip/replica.h"
#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "member/edges.h"
#include "mix/cluster.h"
#include "net/gloo.h"
#include "net/transports.h"
#include "perf/bench.h"
#include "perf/timed_job.h"

#include <cmath>

namespace grapevine::perf {
namespace {

struct Options {
  ComputeOptions compute;
  bool alone = false; // the same without any communication
  std::string graph = "ring";
  double rate = 1;
  int64_t piece_bytes = 1 << 20;
  bool packs = false;
  double warm_up = 2; // seconds
  double seconds = 10;
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app("One process of an asynchronous job that is timed.");
  add_compute_flags(app, options.compute);
  app.add_flag("--alone", options.alone);
  app.add_option("--graph", options.graph);
  app.add_option("--rate", options.rate);
  app.add_option("--piece-bytes", options.piece_bytes);
  app.add_flag("--packing", options.packs);
  app.add_option("--warm-up", options.warm_up);
  app.add_option("--seconds", options.seconds);
  parse_or_exit(app, argc, argv);
  return options;
}

class Job {
 public:
  explicit Job(const Options& options) : options_(options) {
    auto environment = net::read_launch_environment();
    if (net::survives_loss(environment.transport)) {
      store_ = net::serve_store_for(environment);
    }
    const std::chrono::seconds deadline(60);
    const net::TransportOptions links{
        .deadline = deadline,
        .packs = options.packs};
    options_.compute.rank = environment.rank;
    options_.compute.state_planes =
        static_cast<int>(rule_.state_planes().size());
    gradient_ = make_gradient(options_.compute);
    // Replicas differ, so that it shows whether they have been averaged.
    for (float& value : gradient_->arena().parameters())
      value *= 1 + 0.1F * static_cast<float>(environment.rank);
    everybody_ = mix::make_process_cluster(
        net::make_transport(environment.transport, environment, links),
        {.deadline = deadline});
    everybody_->attach({&gradient_->arena()});
    const auto schedule =
        graph::make_schedule({.name = options_.graph, .n = environment.size});
    neighbours_ = gossip::neighbours_in(*schedule)[environment.rank];
    replica_ = std::make_unique<gossip::Replica>(
        gradient_->arena(),
        gossip::accelerated_dynamics(
            graph::analyse(*schedule),
            environment.size,
            options_.rate),
        options_.piece_bytes);
    if (options_.alone) return;
    edges_ = member::make_edges(
        environment.transport,
        environment,
        neighbours_,
        links);
    averager_ = std::make_unique<gossip::Averager>(
        *replica_,
        *edges_,
        neighbours_,
        gossip::AveragerOptions{
            .total_gradients = int64_t{1} << 60,
            .seed = 1,
            .deadline = deadline});
  }

  nlohmann::json run() {
    everybody_->barrier();
    compute_for(options_.warm_up);
    const gossip::Statistics before = statistics();
    const double seconds = compute_for(options_.seconds);
    const gossip::Statistics after = statistics();
    if (averager_) averager_->end();
    const auto per_second = [&](int64_t a, int64_t b) {
      return static_cast<double>(b - a) / seconds;
    };
    const double pairs = std::max<double>(
        1,
        static_cast<double>(after.averagings - before.averagings));
    const mix::Rows rows = everybody_->all_gather(
        {{per_second(before.gradients, after.gradients),
          per_second(before.averagings, after.averagings),
          (after.pair_seconds - before.pair_seconds) / pairs,
          (after.wait_seconds - before.wait_seconds) / pairs,
          static_cast<double>(after.staleness - before.staleness) / pairs,
          spread_of_replicas()}});
    everybody_->barrier();
    nlohmann::json result = {
        {"model_bytes",
         gradient_->arena().layout().elements() *
             static_cast<int64_t>(sizeof(float))}};
    const std::vector<std::string> names = {
        "gradients_per_second",
        "averagings_per_second",
        "pair_seconds",
        "wait_seconds",
        "staleness",
        "replica"};
    for (size_t column = 0; column < names.size(); ++column) {
      for (const auto& row : rows)
        result[names[column]].push_back(row[column]);
    }
    verify(result["replica"].get<std::vector<double>>());
    return result;
  }

  bool prints() const { return everybody_->is_root(); }

 private:
  gossip::Statistics statistics() {
    if (averager_) return averager_->statistics();
    gossip::Statistics alone;
    alone.gradients = gradients_;
    return alone;
  }

  // With a learning rate of 0, which costs the same time as any other, only
  // averaging moves parameters.
  double compute_for(double seconds) {
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] {
      return std::chrono::duration<double>(
                 std::chrono::steady_clock::now() - start)
          .count();
    };
    while (passed() < seconds) {
      const double taken = seconds_of([&] {
        gradient_->compute(gradients_, nullptr);
        replica_->move(
            rule_,
            {.step = gradients_, .lr = 0},
            averager_ ? averager_->units() : 0);
      });
      if (averager_) {
        averager_->gradient_done(
            taken,
            gossip::allowance(
                gossip::Averagings::kPoisson,
                options_.rate,
                1,
                options_.compute.rank,
                gradients_));
      }
      ++gradients_;
    }
    return passed();
  }

  // One element, which began as 1 + 0.1 rank times the same everywhere.
  double spread_of_replicas() { return replica_->x()[0]; }

  // Wrong result, no number: replicas have come together, and their mean is
  // where it was to a few percent (a pair may have been under way).
  void verify(const std::vector<double>& values) {
    if (options_.alone || values.size() == 1) return;
    double low = values[0];
    double high = values[0];
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const double apart = (high - low) / std::abs(high);
    const auto n = static_cast<double>(values.size());
    GV_CHECK_LE(apart, 0.5 * 0.1 * (n - 1));
  }

  std::unique_ptr<net::StoreServer> store_;
  Options options_;
  algo::Sgd rule_{{}};
  std::unique_ptr<MlpGradient> gradient_;
  std::unique_ptr<mix::Cluster> everybody_;
  std::vector<int> neighbours_;
  std::unique_ptr<gossip::Replica> replica_;
  std::unique_ptr<member::Edges> edges_;
  std::unique_ptr<gossip::Averager> averager_;
  int64_t gradients_ = 0;
};

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  namespace perf = grapevine::perf;
  return perf::run_job<perf::Job>("gossip_bench", perf::parse(argc, argv));
}
