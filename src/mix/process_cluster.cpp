// One worker in this process, the others behind a transport.
#include "base/check.h"
#include "mix/cluster.h"
#include "mix/comm_thread.h"
#include "mix/inline_exchange.h"
#include "mix/thread_exchange.h"

#include <algorithm>
#include <array>

namespace grapevine::mix {
namespace {

class ProcessCluster : public Cluster {
 public:
  ProcessCluster(
      std::unique_ptr<net::Transport> transport,
      CommunicatorOptions options)
      : communicator_(std::move(transport), options),
        rank_(communicator_.rank()),
        chunk_bytes_(options.chunk_bytes),
        slots_{{Slot(communicator_, costs_), Slot(communicator_, costs_)}},
        thread_(communicator_) {
    costs_.waits.resize(size());
  }

  int size() const override { return communicator_.size(); }
  std::span<const int> hosted() const override { return {&rank_, 1}; }
  std::string transport_name() const override {
    return communicator_.transport_name();
  }
  int threads() const override { return 1; }
  void for_each(const std::function<void(int)>& work) override { work(0); }
  void set_step(int64_t step) override { step_ = step; }

  void abandon() override {
    bool amid = false;
    for (Slot& slot : slots_) {
      amid = amid || slot.by_owner.is_open();
      slot.drop();
    }
    is_abandoned_ = thread_.abandon(amid);
    // What is in flight may point into the arenas.
    if (is_abandoned_) communicator_.close();
  }

  void mix(const Plan& plan, algo::Plane plane) override {
    const auto start = Clock::now();
    call([&](Communicator& peers) {
      costs_.traffic += peers.mix(plan, plane_of(0, plane));
    });
    costs_.exchange_seconds += seconds_since(start);
  }

  void set_buckets(const tensor::Buckets& buckets) override {
    for (const Slot& slot : slots_)
      GV_CHECK(slot.open() == nullptr);
    std::vector<std::vector<Range>> ranges;
    for (int b = 0; b < buckets.size(); ++b) {
      ranges.emplace_back(buckets.ranges(b).begin(), buckets.ranges(b).end());
    }
    cut_ = make_cut(ranges, chunk_bytes_);
  }

  bool overlaps() const override { return true; }

  Exchange& begin(const ExchangeRequest& request) override {
    if (cut_ == nullptr) {
      set_buckets(tensor::Buckets::whole(arenas_[0]->layout()));
    }
    ExchangeSpec spec{
        .plan = request.plan,
        .cut = cut_,
        .plane = plane_of(0, request.plane),
        .in_place = request.in_place,
        .step = request.step};
    // In place, what is consumed is consumed in order.
    if (request.in_place) finish_by_owner();
    Slot& slot = slots_[next_];
    GV_CHECK(slot.open() == nullptr);
    next_ = 1 - next_;
    if (thread_.is_idle() && communicator_.open(slot.by_owner, spec)) {
      return slot.by_owner;
    }
    finish_by_owner();
    slot.by_thread.open(std::move(spec));
    thread_.start(slot.by_thread);
    return slot.by_thread;
  }

  void drop() override {
    // The one before the newest has been released.
    if (Exchange* newest = slots_[1 - next_].open()) {
      newest->release(0, cut_->buckets() - 1);
    }
    finish_by_owner();
    for (Slot& slot : slots_)
      slot.drop();
    thread_.drain();
  }

  using Cluster::mean;
  void mean(
      algo::Plane plane,
      std::span<const Range> pieces,
      std::span<float> out) override {
    const std::span<const float> mine = plane_of(0, plane);
    float* place = out.data();
    for (const Range& piece : pieces) {
      place = std::copy_n(mine.data() + piece.begin, piece.size(), place);
    }
    call([&](Communicator& peers) { peers.all_reduce_mean(out); });
  }

  void begin_all_gather(Rows mine) override {
    finish_by_owner();
    gathered_ = std::move(mine);
    thread_.start(gather_);
  }
  Rows end_all_gather() override {
    thread_.wait(gather_);
    return std::move(gathered_);
  }

  double exchange_seconds() const override {
    double seconds = costs_.exchange_seconds;
    for (const Slot& slot : slots_)
      seconds += slot.by_thread.busy_seconds() + slot.by_owner.busy_seconds();
    return seconds;
  }

 private:
  // Room for an exchange, moved by the one or the other.
  struct Slot {
    Slot(Communicator& communicator, MixCosts& costs)
        : by_thread(communicator, costs),
          by_owner(costs) {}

    Exchange* open() {
      if (by_thread.is_open()) return &by_thread;
      return by_owner.is_open() ? &by_owner : nullptr;
    }
    const Exchange* open() const { return const_cast<Slot*>(this)->open(); }
    void drop() {
      by_thread.drop();
      by_owner.drop();
    }

    ThreadExchange by_thread;
    InlineExchange by_owner;
  };

  void leave_arenas() override {
    if (!is_abandoned_) drop();
    cut_.reset();
  }

  void call(const std::function<void(Communicator&)>& work) override {
    thread_.call([&] {
      communicator_.set_step(step_);
      work(communicator_);
    });
  }

  // So that the communicator is free for others.
  void finish_by_owner() {
    for (Slot& slot : slots_) {
      if (slot.by_owner.is_open()) slot.by_owner.finish();
    }
  }

  Communicator communicator_;
  int rank_;
  int64_t chunk_bytes_;
  int64_t step_ = -1;
  std::shared_ptr<const Cut> cut_;
  // Used in turns: one that is being waited for, and the next.
  std::array<Slot, 2> slots_;
  int next_ = 0;
  bool is_abandoned_ = false;
  CommThread::Call gather_{
      [this] { gathered_ = mix::all_gather(communicator_, gathered_.at(0)); }};
  CommThread thread_; // last: it uses the others
};

} // namespace

std::unique_ptr<Cluster> make_process_cluster(
    std::unique_ptr<net::Transport> transport,
    CommunicatorOptions options) {
  return std::make_unique<ProcessCluster>(std::move(transport), options);
}

} // namespace grapevine::mix
