#include "mix/communicator.h"

#include "base/check.h"
#include "mix/inline_exchange.h"
#include "mix/plans/plans.h"
#include "mix/thread_exchange.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace grapevine::mix {
namespace {

constexpr int64_t kLeastChunkBytes = 4096;

// Nobody waits for a chunk of a plane that is there as a whole.
class NoEvents : public ChunkEvents {
 public:
  void before(int64_t) override {}
  void after(int64_t) override {}
};

// An owner that releases a chunk has given back what it read of the exchange
// before.
class LendingEvents : public ChunkEvents {
 public:
  LendingEvents(ChunkEvents& events, Windows& windows)
      : events_(events),
        windows_(windows) {}
  void before(int64_t c) override {
    events_.before(c);
    windows_.give_back(c);
  }
  void after(int64_t c) override { events_.after(c); }

 private:
  ChunkEvents& events_;
  Windows& windows_;
};

int64_t floats_of(const ExchangeSpec& spec) {
  return static_cast<int64_t>(spec.plane.size());
}

} // namespace

Communicator::Communicator(
    std::unique_ptr<net::Transport> transport,
    CommunicatorOptions options)
    : Link(std::move(transport), options.deadline),
      options_(options) {
  options_.chunk_bytes = std::max(options.chunk_bytes, kLeastChunkBytes);
  if (options.cores == 0) { // asked for once, not in every step
    options_.cores = static_cast<int>(std::thread::hardware_concurrency());
  }
}

Traffic Communicator::mix(const Plan& plan, std::span<float> plane) {
  GV_CHECK_EQ(plan.n(), size());
  const auto count = static_cast<int64_t>(plane.size());
  return run("mix", [&] {
    MixExecutor& executor = mixes_.get({plan.id(), count}, [&] {
      return MixExecutor(
          plan,
          rank(),
          even_chunks(plan, count, options_.chunk_bytes));
    });
    need_scratch(executor.scratch_floats());
    NoEvents events;
    executor.run(*this, plane.data(), plane.data(), scratch.data(), events);
    return executor.traffic();
  });
}

Traffic Communicator::all_reduce_mean(std::span<float> values) {
  if (!all_reduce_) all_reduce_ = make_all_reduce_plan(size());
  return mix(*all_reduce_, values);
}

Communicator::Executor& Communicator::prepare(const ExchangeSpec& spec) {
  return prepared_.get({spec.plan->id(), spec.cut->id, spec.in_place}, [&] {
    return make_executor(spec);
  });
}

Communicator::Executor Communicator::make_executor(const ExchangeSpec& spec) {
  const Program program = spec.plan->program(rank());
  const std::vector<int> near = near_peers(*spec.plan, program);
  const bool wants_inboxes = !spec.in_place || !near.empty();
  if (wants_inboxes && InboxExecutor::fits(program)) {
    return InboxExecutor(program, spec.cut->chunks, near);
  }
  return MixExecutor(*spec.plan, rank(), spec.cut->chunks);
}

// Those of the peers in a program that windows serve: both it and theirs must
// be of the kind that can use them, so that both sides do.
std::vector<int> Communicator::near_peers(
    const Plan& plan,
    const Program& program) const {
  std::vector<int> near;
  if (!InboxExecutor::fits(program)) return near;
  const auto consider = [&](int peer) {
    if (!windows_->is_near(peer) ||
        std::ranges::find(near, peer) != near.end() ||
        !InboxExecutor::fits(plan.program(peer))) {
      return;
    }
    near.push_back(peer);
  };
  for (const Send& send : program.sends)
    consider(send.peer);
  for (const Receive& receive : program.receives)
    consider(receive.peer);
  return near;
}

void Communicator::move(ThreadExchange& exchange) {
  const ExchangeSpec& spec = exchange.spec();
  set_step(spec.step);
  run("exchange", [&] {
    need_windows(floats_of(spec));
    windows_->begin(
        spec.cut->id,
        static_cast<int64_t>(spec.cut->chunks.size()));
    std::visit([&](auto& it) { move(it, exchange); }, prepare(spec));
  });
}

void Communicator::move(MixExecutor& executor, ThreadExchange& exchange) {
  LendingEvents events(exchange, *windows_);
  float* value = exchange.spec().plane.data();
  float* result = value;
  tensor::MixTerms terms;
  const float* term = nullptr;
  if (!exchange.spec().in_place) {
    if (executor.changes_value()) {
      need_inboxes(1);
      result = inbox_pointers[0];
    }
    term = result;
    terms.terms = {&term, 1};
  }
  need_scratch(executor.scratch_floats());
  exchange.begin(terms, executor.traffic());
  executor.run(*this, value, result, scratch.data(), events);
}

void Communicator::move(InboxExecutor& executor, ThreadExchange& exchange) {
  LendingEvents events(exchange, *windows_);
  need_inboxes(executor.inboxes());
  float* value = exchange.spec().plane.data();
  const int64_t number = windows_->newest();
  InboxExecutor::TermPointers pointers{};
  const tensor::MixTerms mix =
      executor.terms_of(*windows_, number, inbox_pointers, value, pointers);
  const bool in_place = exchange.spec().in_place;
  exchange.begin(in_place ? tensor::MixTerms{} : mix, executor.traffic());
  executor.run(
      {.link = *this,
       .windows = windows_.get(),
       .exchange = number,
       .value = value,
       .inboxes = inbox_pointers,
       .in_place = in_place ? &mix : nullptr},
      events);
  if (!in_place) windows_->lend(executor.near_sources());
}

bool Communicator::open(InlineExchange& exchange, const ExchangeSpec& spec) {
  if (!has_windows(floats_of(spec)) || !cores_are_short()) return false;
  auto* executor = std::get_if<InboxExecutor>(&prepare(spec));
  if (executor == nullptr || !executor->is_all_near()) return false;
  exchange.open(*this, *windows_, *executor, spec);
  return true;
}

bool Communicator::has_windows(int64_t floats) const {
  return windows_ && floats <= windows_->floats();
}

// Collective where there are none of that size. Old ones were those of a
// smaller model that has ended; they go when all have met for the new ones, so
// nobody is at an exchange in them. Who is near may be others now.
void Communicator::need_windows(int64_t floats) {
  if (has_windows(floats)) return;
  windows_ = std::make_unique<Windows>(*this, floats);
  prepared_.clear();
  inboxes.clear();
  inbox_pointers.clear();
}

void Communicator::need_scratch(int64_t floats) {
  if (scratch.size() < floats) scratch = AlignedFloats(floats);
}

// Each is as large as windows are, whatever plane it is made for, so that it
// holds every plane that they do.
void Communicator::need_inboxes(int count) {
  while (inboxes.size() < static_cast<size_t>(count)) {
    inboxes.emplace_back(windows_->floats());
    inbox_pointers.push_back(inboxes.back().data());
  }
}

// For a second thread a worker.
bool Communicator::cores_are_short() const {
  return options_.cores < 2 * windows_->near_workers();
}

} // namespace grapevine::mix
