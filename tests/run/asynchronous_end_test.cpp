// The end of asynchronous runs, in threads over a network in memory: who dies
// between the last average and the last barrier costs the others nothing.
#include "run/engines/asynchronous.h"

#include "gossip/neighbours.h"
#include "member/fake_network.h"
#include "member/linked_edges.h"
#include "net/wrap.h"
#include "run/run.h"
#include "run/run_directory_setup.h"
#include "run/tiny_spec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace grapevine::run {
namespace {

using net::testing::LocalGroupFactory;
using net::testing::MemoryStore;

constexpr int kWorkers = 3;
constexpr int kVictim = 1;
constexpr int kOther = 2;

// One worker's way to the store, which ends with the worker.
class MortalStore : public net::KeyValueStore {
 public:
  explicit MortalStore(std::shared_ptr<KeyValueStore> store)
      : store_(std::move(store)) {}

  void die() { is_dead_ = true; }

  int64_t add(const std::string& key, int64_t amount) override {
    return alive().add(key, amount);
  }
  void set(const std::string& key, const std::string& text) override {
    alive().set(key, text);
  }
  std::optional<std::string> get(const std::string& key) override {
    return alive().get(key);
  }
  std::string set_once(const std::string& key, const std::string& text)
      override {
    return alive().set_once(key, text);
  }

 private:
  KeyValueStore& alive() {
    if (is_dead_) throw TransportError("dead");
    return *store_;
  }

  std::shared_ptr<KeyValueStore> store_;
  std::atomic<bool> is_dead_ = false;
};

// Holds the transports that all have gathered with: whom it interrupts may be
// done with its own by then.
class WatchedGroupFactory : public LocalGroupFactory {
 public:
  std::unique_ptr<net::Transport> connect_directly(
      const net::GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    auto made = LocalGroupFactory::connect_directly(group, deadline, cancelled);
    if (group.workers.size() != kWorkers) return made;
    const std::shared_ptr<net::Transport> held = std::move(made);
    const std::lock_guard lock(mutex_);
    gathered_[group.self] = held;
    return std::make_unique<net::WrappedTransport>(held);
  }

  void interrupt(int rank) {
    const std::lock_guard lock(mutex_);
    gathered_.at(rank)->interrupt();
  }

 private:
  std::mutex mutex_;
  std::map<int, std::shared_ptr<net::Transport>> gathered_;
};

class AsynchronousEnd : public testing::Test {
 protected:
  AsynchronousEnd() : directory_(folder_ / "run") {
    spec::Spec spec = tiny_spec(folder_);
    spec.agreement = "gossip";
    spec.n = kWorkers;
    spec.deadline = 20;
    config_ = make_run_config(spec, {});
    directory_.create();
  }

  // What became of one worker.
  struct End {
    std::optional<TrainResult> result;
    std::string error;
  };

  using MakeEdges = std::function<std::unique_ptr<member::Edges>(int rank)>;
  using Keep = std::function<void(const TrainResult&)>;

  std::vector<End> run(const MakeEdges& make_edges, const Keep& keep) {
    std::vector<End> ends(kWorkers);
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < kWorkers; ++rank) {
        threads.emplace_back([&, rank] {
          use_one_torch_thread();
          try {
            const auto edges = make_edges(rank);
            TrainHooks hooks;
            hooks.on_result = [&, rank](const TrainResult&) { ++told_[rank]; };
            RunContext context(config_, {rank}, directory_, 0, hooks);
            AsynchronousEngine engine(context, *edges, {.keep_result = keep});
            ends[rank].result = run::Run(context, engine).run();
          } catch (const std::exception& error) {
            ends[rank].error = error.what();
          }
          is_over_[rank] = true;
        });
      }
    }
    return ends;
  }

  void store(const TrainResult& result) {
    write_result(directory_, nlohmann::json::object(), result);
  }

  std::vector<int> neighbours(int rank) const {
    return gossip::neighbours_in(*config_.schedule)[rank];
  }

  Folder folder_;
  record::RunDirectory directory_;
  run::RunConfig config_;
  std::atomic<bool> is_over_[kWorkers] = {};
  int told_[kWorkers] = {}; // the result, how often
};

// The others' barrier fails before the first has kept the result, so they
// gather again; it need not, and tells them so.
TEST_F(AsynchronousEnd, ADeathBeforeTheLastBarrierLeavesTheResultAsItIs) {
  const auto keys = std::make_shared<MemoryStore>();
  const auto victims_store = std::make_shared<MortalStore>(keys);
  const auto factory = std::make_shared<WatchedGroupFactory>();
  int kept = 0;
  const auto ends = run(
      [&](int rank) {
        return member::make_linked_edges(
            rank == kVictim
                ? std::static_pointer_cast<net::KeyValueStore>(victims_store)
                : keys,
            factory,
            {.name = "fake",
             .rank = rank,
             .size = kWorkers,
             .neighbours = neighbours(rank)});
      },
      [&](const TrainResult& result) {
        victims_store->die();
        factory->interrupt(kVictim);
        factory->interrupt(kOther); // as if it waited for the victim
        keys->set(net::lost_key(kVictim), "killed");
        keys->add(net::kNewsKey, 1);
        while (!is_over_[kVictim] || keys->add(net::come_count_key(1), 0) == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++kept;
        store(result);
      });
  ASSERT_TRUE(ends[0].result) << ends[0].error;
  EXPECT_EQ(ends[0].result->outcome, Outcome::kCompleted);
  EXPECT_TRUE(ends[0].result->is_complete);
  EXPECT_FALSE(ends[kOther].result);
  EXPECT_NE(ends[kOther].error.find("came too late"), std::string::npos)
      << ends[kOther].error;
  EXPECT_EQ(ends[kVictim].error, "dead");
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(told_[0], 1);
  EXPECT_EQ(told_[kOther] + told_[kVictim], 0);
}

// As over MPI: nobody can gather again, but the result is there.
TEST_F(AsynchronousEnd, ADeathAtTheLastBarrierOfFixedEdgesIsNoFailure) {
  auto transports = net::make_local_transports(kWorkers);
  net::Transport& victims = *transports[kVictim];
  const auto ends = run(
      [&](int rank) {
        return member::make_fixed_edges(
            std::move(transports[rank]),
            neighbours(rank));
      },
      [&](const TrainResult& result) {
        store(result);
        victims.interrupt();
      });
  for (int rank = 0; rank < kWorkers; ++rank) {
    ASSERT_TRUE(ends[rank].result) << ends[rank].error;
    EXPECT_EQ(ends[rank].result->outcome, Outcome::kCompleted);
    EXPECT_EQ(ends[rank].result->is_complete, rank == 0);
    EXPECT_EQ(told_[rank], rank == 0 ? 1 : 0);
  }
}

} // namespace
} // namespace grapevine::run
