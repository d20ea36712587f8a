#include "base/check.h"
#include "base/error.h"
#include "base/lru_cache.h"
#include "base/sha256.h"
#include "base/transport_table.h"
#include "mix/clock.h"
#include "mix/cluster.h"
#include "mix/collectives.h"
#include "mix/parameter_digest.h"
#include "mix/virtual_mixer.h"
#include "tensor/kernels/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::mix {
namespace {

class VirtualCluster : public Cluster {
 public:
  VirtualCluster(int n, ThreadPool& pool) : pool_(pool), mixer_(pool) {
    ranks_.resize(n);
    std::iota(ranks_.begin(), ranks_.end(), 0);
  }

  int size() const override { return static_cast<int>(ranks_.size()); }
  std::span<const int> hosted() const override { return ranks_; }
  std::string transport_name() const override {
    return std::string(net::kVirtual.name);
  }
  int find_workers_per_node(const net::LaunchEnvironment&) override {
    return 1;
  }

  void attach(std::vector<tensor::Arena*> arenas) override {
    GV_CHECK_EQ(arenas.size(), ranks_.size());
    if (!arenas_.empty()) {
      throw ConfigError("these workers train another model already");
    }
    arenas_ = std::move(arenas);
  }
  void detach() override { arenas_.clear(); }
  void abandon() override {}

  void for_each(const std::function<void(int)>& work) override {
    pool_.for_each(size(), [&](int64_t index, int) {
      work(static_cast<int>(index));
    });
  }

  void mix(const mix::Plan& plan, algo::Plane plane) override {
    mix_planes(plan, planes_of(plane), plane_size(plane));
    count_traffic(plan, plane_size(plane));
  }

  // What is released early is mixed no earlier than the rest: the whole plane
  // is one bucket.
  void set_buckets(const tensor::Buckets&) override {}
  bool overlaps() const override { return false; }

  void begin(const ExchangeRequest& request) override {
    newest_ = request;
    if (!request.in_place) make_room_for_results();
  }
  void release(int, int) override {}

  void settle() override {
    std::vector<float*> planes = planes_of(newest_.plane);
    const int64_t count = plane_size(newest_.plane);
    if (!newest_.in_place) {
      for_each([&](int index) {
        std::copy_n(planes[index], count, results_[index].data());
        planes[index] = results_[index].data();
      });
    }
    mix_planes(*newest_.plan, planes, count);
    settled_ = newest_;
  }

  tensor::MixTerms wait(int index, int) override {
    // One thread has worker 0.
    if (index == 0) count_traffic(*settled_.plan, plane_size(settled_.plane));
    if (settled_.in_place) return {};
    return {.terms = {&result_pointers_[index], 1}, .weights = {}};
  }

  void drop() override {}

  using Cluster::mean;
  void mean(
      algo::Plane plane,
      std::span<const Range> pieces,
      std::span<float> out) override {
    constexpr int64_t kBlock = 16384;
    const std::vector<float*> planes = planes_of(plane);
    const std::vector<const float*> terms(planes.begin(), planes.end());
    const auto scale = static_cast<float>(1.0 / size());
    float* place = out.data();
    for (const Range& piece : pieces) {
      const int64_t blocks = (piece.size() + kBlock - 1) / kBlock;
      pool_.for_each(blocks, [&](int64_t block, int) {
        const int64_t at = block * kBlock;
        const int64_t count = std::min(kBlock, piece.size() - at);
        tensor::scaled_sum(place + at, terms, piece.begin + at, count, scale);
      });
      place += piece.size();
    }
  }

  std::vector<double> sum(Rows mine) override {
    // As over processes: up the tree and down again.
    const int64_t messages = 2 * (static_cast<int64_t>(mine.size()) - 1);
    traffic_.messages += messages;
    traffic_.bytes +=
        messages * static_cast<int64_t>(mine[0].size() * sizeof(double));
    mix::tree_sum(mine);
    return mine[0];
  }

  void copy_first(algo::Plane plane) override {
    const std::span<const float> first = algo::plane_of(*arenas_[0], plane);
    for_each([&](int index) {
      if (index == 0) return;
      std::ranges::copy(first, algo::plane_of(*arenas_[index], plane).begin());
    });
  }

  Rows all_gather(const Rows& mine) override { return mine; }
  void begin_all_gather(Rows mine) override { gathered_ = std::move(mine); }
  Rows end_all_gather() override { return std::move(gathered_); }
  Rows gather(const Rows& mine) override { return mine; }
  bool any(bool mine) override { return mine; }
  std::string broadcast(std::string text) override { return text; }
  void barrier() override {}

  std::string parameters_sha256() override {
    Sha256 hash;
    for (const tensor::Arena* arena : arenas_) {
      add_parameters(hash, arena->layout(), arena->parameters());
    }
    return hash.hex();
  }

  int threads() const override { return pool_.threads(); }
  double exchange_seconds() const override { return exchange_seconds_; }
  double wait_seconds() const override { return 0; }
  std::span<const double> waits() const override { return {}; }
  mix::Traffic traffic() const override { return traffic_; }
  void set_step(int64_t) override {}
  void compare_fingerprints(
      const std::map<std::string, std::string>&) override {}

 private:
  void mix_planes(
      const mix::Plan& plan,
      std::span<float* const> planes,
      int64_t count) {
    const auto start = Clock::now();
    mixer_.mix(plan, planes, count);
    exchange_seconds_ += threads() * seconds_since(start);
  }

  void make_room_for_results() {
    while (results_.size() < arenas_.size()) {
      results_.emplace_back(arenas_[0]->layout().size());
      result_pointers_.push_back(results_.back().data());
    }
  }

  std::vector<float*> planes_of(algo::Plane plane) {
    std::vector<float*> planes;
    for (tensor::Arena* arena : arenas_) {
      planes.push_back(algo::plane_of(*arena, plane).data());
    }
    return planes;
  }

  int64_t plane_size(algo::Plane plane) {
    return static_cast<int64_t>(algo::plane_of(*arenas_[0], plane).size());
  }

  // What the n workers would have sent; summed once for each plan.
  void count_traffic(const mix::Plan& plan, int64_t elements) {
    const Programs::Sent& sent = sent_.get(plan.id(), [&] {
      Programs::Sent sum;
      for (const Programs::Sent& worker : plan.sent()) {
        sum.messages += worker.messages;
        sum.copies += worker.copies;
      }
      return sum;
    });
    traffic_.messages += sent.messages;
    traffic_.bytes += std::llround(
        sent.copies * static_cast<double>(elements) * sizeof(float));
  }

  ThreadPool& pool_;
  mix::VirtualMixer mixer_;
  std::vector<int> ranks_;
  std::vector<tensor::Arena*> arenas_;
  Rows gathered_;
  ExchangeRequest newest_;
  ExchangeRequest settled_;
  // Of exchanges that are not in place, one for each worker.
  std::vector<AlignedFloats> results_;
  std::vector<const float*> result_pointers_;
  LruCache<uint64_t, Programs::Sent> sent_{1024}; // by the plan's id
  mix::Traffic traffic_;
  double exchange_seconds_ = 0;
};

} // namespace

std::unique_ptr<Cluster> make_virtual_cluster(int n, ThreadPool& pool) {
  return std::make_unique<VirtualCluster>(n, pool);
}

} // namespace grapevine::mix
