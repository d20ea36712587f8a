// All workers in this process. An exchange is a mixing when all have released:
// the whole plane is one bucket.
#include "base/lru_cache.h"
#include "base/transport_table.h"
#include "mix/cluster.h"
#include "mix/virtual_mixer.h"
#include "tensor/kernels/elementwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace grapevine::mix {
namespace {

class VirtualCluster : public Cluster {
 public:
  VirtualCluster(int n, ThreadPool& pool)
      : pool_(pool),
        mixer_(pool),
        ranks_(n),
        exchanges_{{VirtualExchange(*this), VirtualExchange(*this)}} {
    std::iota(ranks_.begin(), ranks_.end(), 0);
  }

  int size() const override { return static_cast<int>(ranks_.size()); }
  std::span<const int> hosted() const override { return ranks_; }
  std::string transport_name() const override {
    return std::string(net::kVirtual.name);
  }
  int threads() const override { return pool_.threads(); }

  void for_each(const std::function<void(int)>& work) override {
    pool_.for_each(size(), [&](int64_t index, int) {
      work(static_cast<int>(index));
    });
  }

  void mix(const Plan& plan, algo::Plane plane) override {
    mix_planes(plan, planes_of(plane), plane_size(plane));
    count_traffic(plan, plane_size(plane));
  }

  Exchange& begin(const ExchangeRequest& request) override {
    VirtualExchange& next = exchanges_[next_];
    next_ = (next_ + 1) % exchanges_.size();
    next.open(request);
    return next;
  }

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

 private:
  class VirtualExchange : public Exchange {
   public:
    explicit VirtualExchange(VirtualCluster& cluster) : cluster_(&cluster) {}

    void open(const ExchangeRequest& request) { request_ = request; }
    void release(int, int) override {}
    void settle() override { cluster_->mix_released(request_); }
    tensor::MixTerms wait(int index, int) override {
      // One thread has worker 0.
      if (index == 0) {
        const int64_t size = cluster_->plane_size(request_.plane);
        cluster_->count_traffic(*request_.plan, size);
      }
      if (request_.in_place) return {};
      return {.terms = {&cluster_->result_pointers_[index], 1}, .weights = {}};
    }

   private:
    VirtualCluster* cluster_;
    ExchangeRequest request_;
  };

  void mix_released(const ExchangeRequest& request) {
    std::vector<float*> planes = planes_of(request.plane);
    const int64_t count = plane_size(request.plane);
    if (!request.in_place) {
      make_room_for_results();
      for_each([&](int index) {
        std::copy_n(planes[index], count, results_[index].data());
        planes[index] = results_[index].data();
      });
    }
    mix_planes(*request.plan, planes, count);
  }

  void
  mix_planes(const Plan& plan, std::span<float* const> planes, int64_t count) {
    const auto start = Clock::now();
    mixer_.mix(plan, planes, count);
    costs_.exchange_seconds += threads() * seconds_since(start);
  }

  void make_room_for_results() {
    while (results_.size() < arenas_.size()) {
      results_.emplace_back(arenas_[0]->layout().size());
      result_pointers_.push_back(results_.back().data());
    }
  }

  std::vector<float*> planes_of(algo::Plane plane) const {
    std::vector<float*> planes;
    for (int index = 0; index < size(); ++index)
      planes.push_back(plane_of(index, plane).data());
    return planes;
  }

  int64_t plane_size(algo::Plane plane) const {
    return static_cast<int64_t>(plane_of(0, plane).size());
  }

  // What the n workers would have sent; summed once for each plan.
  void count_traffic(const Plan& plan, int64_t elements) {
    const Programs::Sent& sent = sent_.get(plan.id(), [&] {
      Programs::Sent sum;
      for (const Programs::Sent& worker : plan.sent()) {
        sum.messages += worker.messages;
        sum.copies += worker.copies;
      }
      return sum;
    });
    const double bytes =
        sent.copies * static_cast<double>(elements) * sizeof(float);
    costs_.traffic += {sent.messages, std::llround(bytes)};
  }

  ThreadPool& pool_;
  VirtualMixer mixer_;
  std::vector<int> ranks_;
  // One that is being waited for, and the next.
  std::array<VirtualExchange, 2> exchanges_;
  size_t next_ = 0;
  // Of exchanges that are not in place, one for each worker.
  std::vector<AlignedFloats> results_;
  std::vector<const float*> result_pointers_;
  LruCache<uint64_t, Programs::Sent> sent_{1024}; // by the plan's id
};

} // namespace

std::unique_ptr<Cluster> make_virtual_cluster(int n, ThreadPool& pool) {
  return std::make_unique<VirtualCluster>(n, pool);
}

} // namespace grapevine::mix
