// The step path allocates nothing once every plan of the schedule has been
// seen: the whole program's allocations are counted while workers step.
#include "algo/agreement.h"
#include "algo/sgd.h"
#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/stepper.h"
#include "net/transports.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

std::atomic<bool> is_counting = false;
std::atomic<int64_t> allocations = 0;

} // namespace

// new[] comes here too, and so do stable sorts, by way of nothrow. Planes are
// allocated otherwise, but before the count.
[[gnu::noinline]] void* operator new(
    size_t size,
    const std::nothrow_t&) noexcept {
  if (is_counting) ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(size_t size) {
  if (void* block = operator new(size, std::nothrow)) return block;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept {
  std::free(block);
}

namespace grapevine::mix {
namespace {

constexpr int kWorkers = 4;
constexpr int64_t kWarmUp = 12;
constexpr int64_t kCounted = 12;

tensor::Arena make_arena() {
  return tensor::Arena(
      std::make_shared<tensor::Layout>(std::vector<tensor::TensorEntry>{
          {.name = "w", .shape = {300, 200}},
          {.name = "b", .shape = {200}},
          {.name = "v", .shape = {200, 100}}}),
      std::make_shared<tensor::Layout>(),
      1);
}

void run_worker(
    std::unique_ptr<net::Transport> transport,
    const std::string& agreement_name,
    const std::string& graph,
    double clip,
    std::barrier<>& all) {
  const auto cluster = make_process_cluster(
      std::move(transport),
      {.deadline = std::chrono::seconds(60), .chunk_bytes = 1 << 16});
  tensor::Arena arena = make_arena();
  cluster->attach({&arena});
  const auto schedule = graph::make_schedule({.name = graph, .n = kWorkers});
  const algo::Sgd rule({});
  Stepper stepper(
      *cluster,
      {&arena},
      algo::find_agreement(agreement_name),
      rule,
      *schedule,
      {.clip = clip, .bucket_bytes = 1 << 16});
  StepRequest request;
  request.lr = 0.1;
  request.compute_gradient = [](int, GradientListener* listener) {
    if (listener == nullptr) return;
    for (const int tensor : {2, 1, 0})
      listener->tensor_ready(tensor);
  };
  for (int64_t step = 0; step < kWarmUp + kCounted; ++step) {
    if (step == kWarmUp) {
      all.arrive_and_wait();
      is_counting = true;
      all.arrive_and_wait();
    }
    request.moment = {.step = step};
    request.next = graph::StepTime{.step = step + 1};
    stepper.step(request);
  }
  all.arrive_and_wait();
  is_counting = false;
  all.arrive_and_wait();
  stepper.parameters_replaced();
  cluster->barrier();
}

TEST(StepPath, AllocatesNothing) {
  for (const auto& [agreement, graph, clip] :
       {std::tuple{"allreduce", "complete", 0.0},
        {"allreduce", "complete", 1.0},
        {"adapt-then-combine", "ring", 0.0},
        {"combine-while-adapt", "one-peer-exponential", 0.0},
        {"combine-while-adapt", "aer", 1.0},
        {"combine-while-adapt", "complete", 0.0}}) {
    allocations = 0;
    std::barrier all(kWorkers);
    auto transports = net::make_local_transports(kWorkers);
    {
      std::vector<std::jthread> threads;
      for (auto& transport : transports) {
        threads.emplace_back([&] {
          run_worker(std::move(transport), agreement, graph, clip, all);
        });
      }
    }
    EXPECT_EQ(allocations, 0) << agreement << " on " << graph;
  }
}

TEST(StepPath, TheCountCounts) {
  allocations = 0;
  is_counting = true;
  const auto one = std::make_unique<int>(1);
  is_counting = false;
  EXPECT_EQ(allocations, *one);
}

} // namespace
} // namespace grapevine::mix
