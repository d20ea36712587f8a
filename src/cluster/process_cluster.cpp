#include "base/check.h"
#include "cluster/clock.h"
#include "cluster/cluster.h"
#include "cluster/parameter_digest.h"
#include "comm/fingerprint.h"

#include <algorithm>
#include <cstring>

namespace grapevine::cluster {
namespace {

class ProcessCluster : public Cluster {
 public:
  ProcessCluster(
      std::unique_ptr<transport::Transport> transport,
      comm::CommunicatorOptions options)
      : communicator_(std::move(transport), options),
        rank_(communicator_.rank()) {}

  int size() const override { return communicator_.size(); }
  std::span<const int> hosted() const override { return {&rank_, 1}; }
  std::string transport_name() const override {
    return communicator_.transport().name();
  }

  void attach(std::vector<arena::Arena*> arenas) override {
    GV_CHECK_EQ(arenas.size(), size_t{1});
    arena_ = arenas[0];
  }

  void for_each(const std::function<void(int)>& work) override { work(0); }

  void mix(const comm::Plan& plan, algo::Plane plane, const MixHooks& hooks)
      override {
    if (hooks.prepare) hooks.prepare(0);
    double in_hooks = 0;
    const auto timed = [&](const auto& hook) -> std::function<void(Range)> {
      if (!hook) return {};
      return [&](Range range) {
        const auto start = Clock::now();
        hook(0, range);
        in_hooks += seconds_since(start);
      };
    };
    const comm::MixHooks ranges{timed(hooks.before), timed(hooks.after)};
    const auto start = Clock::now();
    counted([&] {
      communicator_.mix(plan, algo::plane_of(*arena_, plane), ranges);
    });
    exchange_seconds_ += seconds_since(start) - in_hooks;
  }

  using Cluster::mean;
  void mean(
      algo::Plane plane,
      std::span<const Range> pieces,
      std::span<float> out) override {
    const std::span<const float> mine = algo::plane_of(*arena_, plane);
    float* place = out.data();
    for (const Range& piece : pieces) {
      place = std::copy_n(mine.data() + piece.begin, piece.size(), place);
    }
    communicator_.all_reduce_mean(out);
  }

  std::vector<double> sum(Rows mine) override {
    GV_CHECK_EQ(mine.size(), size_t{1});
    counted([&] { communicator_.sum(mine[0]); });
    return mine[0];
  }

  void copy_first(algo::Plane plane) override {
    communicator_.broadcast(
        std::as_writable_bytes(algo::plane_of(*arena_, plane)),
        0);
  }

  Rows all_gather(const Rows& mine) override {
    GV_CHECK_EQ(mine.size(), size_t{1});
    const std::string bytes(
        reinterpret_cast<const char*>(mine[0].data()),
        mine[0].size() * sizeof(double));
    Rows rows;
    for (const std::string& text : communicator_.all_gather(bytes)) {
      std::vector<double>& row =
          rows.emplace_back(text.size() / sizeof(double));
      std::memcpy(row.data(), text.data(), text.size());
    }
    return rows;
  }

  Rows gather(const Rows& mine) override {
    GV_CHECK_EQ(mine.size(), size_t{1});
    return communicator_.gather(std::span<const double>(mine[0]), 0);
  }

  bool any(bool mine) override { return communicator_.any(mine); }
  std::string broadcast(std::string text) override {
    return communicator_.broadcast(std::move(text), 0);
  }
  void barrier() override { communicator_.barrier(); }

  std::string parameters_sha256() override {
    // One replica at a time, so that worker 0 needs room for one only.
    const std::span<float> mine = arena_->parameters();
    if (rank_ != 0) {
      communicator_.exchange(0, mine, {});
      return {};
    }
    Sha256 hash;
    add_parameters(hash, arena_->layout(), mine);
    std::vector<float> theirs(mine.size());
    for (int rank = 1; rank < size(); ++rank) {
      communicator_.exchange(rank, {}, theirs);
      add_parameters(hash, arena_->layout(), theirs);
    }
    return hash.hex();
  }

  int threads() const override { return 1; }
  double exchange_seconds() const override { return exchange_seconds_; }
  comm::Traffic traffic() const override { return traffic_; }
  void set_step(int64_t step) override { communicator_.set_step(step); }
  void compare_fingerprints(
      const std::map<std::string, std::string>& mine) override {
    comm::compare_fingerprints(communicator_, mine);
  }

 private:
  template <typename Work>
  void counted(const Work& work) {
    const comm::Traffic before = communicator_.traffic();
    work();
    traffic_.messages += communicator_.traffic().messages - before.messages;
    traffic_.bytes += communicator_.traffic().bytes - before.bytes;
  }

  comm::Communicator communicator_;
  int rank_;
  arena::Arena* arena_ = nullptr;
  double exchange_seconds_ = 0;
  comm::Traffic traffic_; // not of evaluation and probes
};

} // namespace

std::unique_ptr<Cluster> make_process_cluster(
    std::unique_ptr<transport::Transport> transport,
    comm::CommunicatorOptions options) {
  return std::make_unique<ProcessCluster>(std::move(transport), options);
}

} // namespace grapevine::cluster
