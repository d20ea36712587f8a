#include "base/check.h"
#include "base/error.h"
#include "mix/clock.h"
#include "mix/cluster.h"
#include "mix/comm_thread.h"
#include "mix/find_nodes.h"
#include "mix/fingerprint.h"
#include "mix/parameter_digest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

namespace grapevine::mix {
namespace {

// An exchange under way, whoever moves it.
struct OpenExchange {
  mix::Exchange by_thread;
  // Null where the thread runs it.
  mix::NearExchange* by_hand = nullptr;

  template <typename Visitor>
  auto visit(const Visitor& visitor) {
    return by_hand != nullptr ? visitor(*by_hand) : visitor(by_thread);
  }
};

class ProcessCluster : public Cluster {
 public:
  ProcessCluster(
      std::unique_ptr<net::Transport> transport,
      mix::CommunicatorOptions options)
      : communicator_(std::move(transport), options),
        rank_(communicator_.rank()),
        chunk_bytes_(options.chunk_bytes),
        waits_(communicator_.size()),
        thread_(communicator_) {}

  int size() const override { return communicator_.size(); }
  std::span<const int> hosted() const override { return {&rank_, 1}; }
  std::string transport_name() const override {
    return communicator_.transport().name();
  }
  int find_workers_per_node(
      const net::LaunchEnvironment& environment) override {
    return call(
        [&] { return mix::find_workers_per_node(communicator_, environment); });
  }

  void attach(std::vector<tensor::Arena*> arenas) override {
    GV_CHECK_EQ(arenas.size(), size_t{1});
    if (arena_ != nullptr) {
      throw ConfigError("these workers train another model already");
    }
    arena_ = arenas[0];
  }

  void detach() override {
    if (!is_abandoned_) drop();
    arena_ = nullptr;
    cut_.reset();
  }

  void abandon() override {
    bool amid = false;
    for (; open_ > 0; pop())
      amid = amid || at(0).by_hand != nullptr;
    is_abandoned_ = thread_.abandon(amid);
  }

  void for_each(const std::function<void(int)>& work) override { work(0); }

  void mix(const mix::Plan& plan, algo::Plane plane) override {
    const auto start = Clock::now();
    counted([&] { communicator_.mix(plan, algo::plane_of(*arena_, plane)); });
    exchange_seconds_ += seconds_since(start);
  }

  void set_buckets(const tensor::Buckets& buckets) override {
    GV_CHECK_EQ(open_, 0);
    std::vector<std::vector<Range>> ranges;
    ranges.reserve(buckets.size());
    for (int b = 0; b < buckets.size(); ++b) {
      ranges.emplace_back(buckets.ranges(b).begin(), buckets.ranges(b).end());
    }
    cut_ = mix::make_cut(ranges, chunk_bytes_);
  }

  bool overlaps() const override { return true; }

  void begin(const ExchangeRequest& request) override {
    GV_CHECK_LT(open_, kMostOpen);
    if (cut_ == nullptr) set_buckets(tensor::Buckets::whole(arena_->layout()));
    ExchangeSpec exchange{
        .plan = request.plan,
        .cut = cut_,
        .plane = algo::plane_of(*arena_, request.plane),
        .in_place = request.in_place,
        .step = request.step};
    // In place, what is consumed is consumed in order.
    if (request.in_place) finish_by_hand();
    OpenExchange& next = at(open_);
    next.by_hand =
        thread_.is_idle() ? communicator_.open_near(exchange) : nullptr;
    if (next.by_hand == nullptr) {
      finish_by_hand();
      next.by_thread.open(std::move(exchange));
      thread_.start(next.by_thread);
    }
    ++open_;
  }

  float* outbox(int, int bucket) override {
    mix::NearExchange* by_hand = newest().by_hand;
    return by_hand == nullptr ? nullptr : by_hand->outbox(bucket);
  }

  void release(int, int bucket) override {
    newest().visit([&](auto& exchange) { exchange.release(bucket); });
  }
  void settle() override {}

  tensor::MixTerms wait(int, int bucket) override {
    return at(0).visit([&](auto& exchange) {
      wait_for(exchange, bucket);
      if (bucket == cut_->buckets() - 1) pop();
      return exchange.terms();
    });
  }

  int waited_for() const override { return waited_for_; }
  Period last_exchange() const override { return last_exchange_; }

  void drop() override {
    // Those before the newest have been released.
    if (open_ > 0) release(0, cut_->buckets() - 1);
    finish_by_hand();
    while (open_ > 0)
      pop();
    thread_.drain();
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
    call([&] { communicator_.all_reduce_mean(out); });
  }

  std::vector<double> sum(Rows mine) override {
    GV_CHECK_EQ(mine.size(), size_t{1});
    counted([&] { communicator_.sum(mine[0]); });
    return mine[0];
  }

  void copy_first(algo::Plane plane) override {
    const auto bytes = std::as_writable_bytes(algo::plane_of(*arena_, plane));
    call([&] { communicator_.broadcast(bytes, 0); });
  }

  Rows all_gather(const Rows& mine) override {
    return call([&] { return all_gather_now(mine); });
  }

  void begin_all_gather(Rows mine) override {
    finish_by_hand();
    gathered_ = std::move(mine);
    thread_.start(gather_);
  }
  Rows end_all_gather() override {
    thread_.wait(gather_);
    return std::move(gathered_);
  }

  Rows gather(const Rows& mine) override {
    GV_CHECK_EQ(mine.size(), size_t{1});
    return call([&] {
      return communicator_.gather(std::span<const double>(mine[0]), 0);
    });
  }

  bool any(bool mine) override {
    return call([&] { return communicator_.any(mine); });
  }
  std::string broadcast(std::string text) override {
    return call([&] { return communicator_.broadcast(std::move(text), 0); });
  }
  void barrier() override {
    call([&] { communicator_.barrier(); });
  }

  std::string parameters_sha256() override {
    return call([&] { return hash_replicas(); });
  }

  int threads() const override { return 1; }
  double exchange_seconds() const override {
    double seconds = exchange_seconds_ + communicator_.near_seconds();
    for (const OpenExchange& exchange : exchanges_)
      seconds += exchange.by_thread.busy_seconds();
    return seconds;
  }
  double wait_seconds() const override { return wait_seconds_; }
  std::span<const double> waits() const override { return waits_; }
  mix::Traffic traffic() const override { return traffic_; }
  void set_step(int64_t step) override { step_ = step; }
  void compare_fingerprints(
      const std::map<std::string, std::string>& mine) override {
    call([&] { mix::compare_fingerprints(communicator_, mine); });
  }

 private:
  // The oldest is 0.
  OpenExchange& at(int index) {
    return exchanges_[(first_ + index) % kMostOpen];
  }
  OpenExchange& newest() {
    GV_CHECK_GE(open_, 1);
    return at(open_ - 1);
  }
  void pop() {
    first_ = (first_ + 1) % kMostOpen;
    --open_;
  }
  // So that the communicator is free for others.
  void finish_by_hand() {
    for (int i = 0; i < open_; ++i) {
      if (at(i).by_hand != nullptr) at(i).by_hand->finish();
    }
  }

  // Books what the wait has cost, and, behind the last bucket, the exchange.
  template <typename Exchange>
  void wait_for(Exchange& exchange, int bucket) {
    const double seconds = exchange.wait(bucket);
    wait_seconds_ += seconds;
    waited_for_ = exchange.waited_for();
    if (waited_for_ >= 0) waits_[waited_for_] += seconds;
    if (bucket != cut_->buckets() - 1) return;
    traffic_ += exchange.traffic();
    last_exchange_ = {exchange.first_sent(), exchange.last_received()};
  }

  // Runs work on the communication thread and returns what it returns.
  template <typename Work>
  std::invoke_result_t<const Work&> call(const Work& work) {
    if constexpr (std::is_void_v<std::invoke_result_t<const Work&>>) {
      thread_.call([&] {
        communicator_.set_step(step_);
        work();
      });
    } else {
      std::optional<std::invoke_result_t<const Work&>> result;
      call([&] { result = work(); });
      return std::move(*result);
    }
  }

  template <typename Work>
  void counted(const Work& work) {
    call([&] {
      const mix::Traffic before = communicator_.traffic();
      work();
      traffic_.messages += communicator_.traffic().messages - before.messages;
      traffic_.bytes += communicator_.traffic().bytes - before.bytes;
    });
  }

  Rows all_gather_now(const Rows& mine) {
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

  // One replica at a time, so that worker 0 needs room for one only, and that
  // nobody's wait is longer than one takes.
  std::string hash_replicas() {
    const std::span<float> mine = arena_->parameters();
    Sha256 hash;
    if (rank_ == 0) add_parameters(hash, arena_->layout(), mine);
    std::vector<float> theirs(rank_ == 0 ? mine.size() : 0);
    for (int rank = 1; rank < size(); ++rank) {
      communicator_.barrier();
      if (rank_ == rank) communicator_.exchange(0, mine, {});
      if (rank_ != 0) continue;
      communicator_.exchange(rank, {}, theirs);
      add_parameters(hash, arena_->layout(), theirs);
    }
    return rank_ == 0 ? hash.hex() : std::string();
  }

  // One that is being waited for, and the next.
  static constexpr int kMostOpen = 2;

  mix::Communicator communicator_;
  int rank_;
  int64_t chunk_bytes_;
  tensor::Arena* arena_ = nullptr;
  int64_t step_ = -1;
  double exchange_seconds_ = 0;
  double wait_seconds_ = 0;
  std::vector<double> waits_;
  int waited_for_ = -1;
  Period last_exchange_;
  mix::Traffic traffic_; // not of evaluation and probes
  std::shared_ptr<const mix::Cut> cut_;
  std::array<OpenExchange, kMostOpen> exchanges_; // a ring
  int first_ = 0;
  int open_ = 0;
  bool is_abandoned_ = false;
  Rows gathered_; // of the gather in the background
  mix::CommThread::Call gather_{
      [this] { gathered_ = all_gather_now(gathered_); }};
  mix::CommThread thread_; // last: it uses the others
};

} // namespace

std::unique_ptr<Cluster> make_process_cluster(
    std::unique_ptr<net::Transport> transport,
    mix::CommunicatorOptions options) {
  return std::make_unique<ProcessCluster>(std::move(transport), options);
}

} // namespace grapevine::mix
