// Workers in virtual time, for the tests of gossip.
#pragma once

#include "algo/rules.h"
#include "gossip/small_world.h"
#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "sim/virtual_gossip.h"

#include <cmath>
#include <string>

namespace grapevine::sim {

inline std::vector<std::vector<int>> neighbours_of(
    const std::string& name,
    int n) {
  const auto schedule = graph::make_schedule({.name = name, .n = n, .seed = 3});
  const graph::PairRates rates({schedule->at({})});
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 0; i < n; ++i) {
    for (const graph::Term& term : rates.row(i))
      neighbours[i].push_back(term.rank);
  }
  return neighbours;
}

// n workers whose gradients pull each towards a point of its own.
class World : public VirtualGossipHost {
 public:
  World(
      int n,
      const gossip::Dynamics& dynamics,
      double lr,
      bool is_tiny = false)
      : rule_(algo::make_rule({.name = "sgd", .momentum = 0.5})),
        lr_(lr) {
    for (int i = 0; i < n; ++i) {
      arenas_.push_back(
          is_tiny ? make_tiny_arena(100 + i) : make_arena(100 + i, 1));
      replicas_.push_back(std::make_unique<gossip::Replica>(
          *arenas_.back(),
          dynamics,
          1 << 20));
    }
  }

  VirtualGossip make(VirtualGossipOptions options) {
    std::vector<gossip::Replica*> replicas;
    for (auto& replica : replicas_)
      replicas.push_back(replica.get());
    return VirtualGossip(std::move(options), replicas, *rule_, *this);
  }

  void begin_gradient(int worker, int64_t gradient) override {
    if (lr_ != 0) fill(arenas_[worker]->gradients(), 1000 * gradient + worker);
    ++begun_;
  }
  algo::StepInfo finish_gradient(int, int64_t gradient, int64_t) override {
    return {.step = gradient, .lr = lr_};
  }
  void gradient_done(int, int64_t, int64_t) override {}

  gossip::Replica& replica(int i) { return *replicas_[i]; }
  tensor::Arena& arena(int i) { return *arenas_[i]; }
  int n() const { return static_cast<int>(replicas_.size()); }
  int64_t begun() const { return begun_; }

  std::vector<double> total(bool companions) {
    std::vector<double> sum(replicas_[0]->x().size());
    for (auto& replica : replicas_) {
      const auto plane = companions ? replica->y() : replica->x();
      for (size_t e = 0; e < plane.size(); ++e)
        sum[e] += plane[e];
    }
    return sum;
  }

  double consensus_distance() {
    const std::vector<double> sum = total(false);
    double distance = 0;
    for (auto& replica : replicas_) {
      for (size_t e = 0; e < sum.size(); ++e)
        distance += std::pow(replica->x()[e] - sum[e] / n(), 2);
    }
    return distance / n();
  }

 private:
  std::vector<std::unique_ptr<tensor::Arena>> arenas_;
  std::vector<std::unique_ptr<gossip::Replica>> replicas_;
  std::shared_ptr<const algo::LocalRule> rule_;
  double lr_;
  int64_t begun_ = 0;
};

inline VirtualGossipOptions options_of(const std::string& graph, int n) {
  VirtualGossipOptions options;
  options.neighbours = neighbours_of(graph, n);
  options.seed = 11;
  options.total_gradients = int64_t{20} * n;
  options.times.gradient = [](int worker, int64_t gradient) {
    Random random(5, Purpose::kTest, worker, gradient);
    return 0.5 + random.uniform();
  };
  options.times.word = [](int, int) { return 0.01; };
  options.times.transfer = [](int, int) { return 0.3; };
  return options;
}

inline gossip::Dynamics
accelerated(const std::string& graph, int n, double rate = 1) {
  const auto schedule = graph::make_schedule({.name = graph, .n = n});
  return gossip::accelerated_dynamics(graph::analyse(*schedule), n, rate);
}

} // namespace grapevine::sim
