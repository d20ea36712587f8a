#include "mix/exchanger.h"

#include <algorithm>
#include <array>
#include <utility>

namespace grapevine::mix {
namespace {

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

int64_t floats_of(const ExchangeSpec& request) {
  return static_cast<int64_t>(request.plane.size());
}

} // namespace

Exchanger::Executor& Exchanger::prepare(const ExchangeSpec& request) {
  return prepared_.get(
      {request.plan->id(), request.cut->id, request.in_place},
      [&] { return make_executor(request); });
}

Exchanger::Executor Exchanger::make_executor(const ExchangeSpec& request) {
  const Plan& plan = *request.plan;
  const Program program = plan.program(link_.rank());
  const auto& chunks = request.cut->chunks;
  const std::vector<int> near = near_peers(plan, program);
  const bool wants_inboxes = !request.in_place || !near.empty();
  if (wants_inboxes && InboxExecutor::fits(program)) {
    return InboxExecutor(program, chunks, near);
  }
  MixExecutor executor(plan, link_.rank(), chunks);
  workspace_.need_scratch(executor.scratch_floats());
  return executor;
}

// Those of the peers in a program that windows serve: both it and theirs must
// be of the kind that can use them, so that both sides do.
std::vector<int> Exchanger::near_peers(const Plan& plan, const Program& program)
    const {
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

Traffic Exchanger::run(Exchange& exchange) {
  const ExchangeSpec& request = exchange.request();
  need_windows(floats_of(request));
  windows_->begin(
      request.cut->id,
      static_cast<int64_t>(request.cut->chunks.size()));
  LendingEvents events(exchange, *windows_);
  return std::visit(
      [&](auto& executor) {
        run(executor, exchange, events);
        return executor.traffic();
      },
      prepare(request));
}

void Exchanger::run(
    MixExecutor& executor,
    Exchange& exchange,
    ChunkEvents& events) {
  float* value = exchange.request().plane.data();
  if (exchange.request().in_place) {
    exchange.begin(link_, {}, executor.traffic());
    executor.run(link_, value, value, workspace_.scratch(), events);
    return;
  }
  const bool changes = executor.changes_value();
  if (changes) need_inboxes(1);
  float* result = changes ? workspace_.inboxes()[0] : value;
  const float* term = result;
  exchange.begin(
      link_,
      {.terms = {&term, 1}, .weights = {}},
      executor.traffic());
  executor.run(link_, value, result, workspace_.scratch(), events);
}

void Exchanger::run(
    InboxExecutor& executor,
    Exchange& exchange,
    ChunkEvents& events) {
  need_inboxes(executor.inboxes());
  float* value = exchange.request().plane.data();
  const int64_t number = windows_->newest();
  InboxExecutor::TermPointers pointers{};
  const tensor::MixTerms mix =
      executor
          .terms_of(*windows_, number, workspace_.inboxes(), value, pointers);
  const bool in_place = exchange.request().in_place;
  exchange.begin(
      link_,
      in_place ? tensor::MixTerms{} : mix,
      executor.traffic());
  executor.run(
      {.link = link_,
       .windows = windows_.get(),
       .exchange = number,
       .value = value,
       .inboxes = workspace_.inboxes(),
       .in_place = in_place ? &mix : nullptr},
      events);
  if (!in_place) windows_->lend(executor.near_sources());
}

NearExchange* Exchanger::open_near(const ExchangeSpec& request) {
  if (!has_windows(floats_of(request)) || !cores_are_short()) return nullptr;
  auto* executor = std::get_if<InboxExecutor>(&prepare(request));
  if (executor == nullptr || !executor->is_all_near()) return nullptr;
  NearExchange& near = near_[next_near_];
  next_near_ = (next_near_ + 1) % near_.size();
  near.open(link_, *windows_, *executor, request);
  return &near;
}

double Exchanger::near_seconds() const {
  double seconds = 0;
  for (const NearExchange& near : near_)
    seconds += near.busy_seconds();
  return seconds;
}

bool Exchanger::has_windows(int64_t floats) const {
  return windows_ && floats <= windows_->floats();
}

// Collective where there are none of that size. Old ones were those of a
// smaller model that has ended; they go when all have met for the new ones, so
// nobody is at an exchange in them. Who is near may be others now.
void Exchanger::need_windows(int64_t floats) {
  if (has_windows(floats)) return;
  windows_ = std::make_unique<Windows>(link_, floats);
  prepared_.clear();
  workspace_.forget_inboxes();
}

// Each is as large as windows are, whatever plane it is made for, so that it
// holds every plane that they do.
void Exchanger::need_inboxes(int count) {
  workspace_.need_inboxes(count, windows_->floats());
}

// For a second thread a worker.
bool Exchanger::cores_are_short() const {
  return cores_ < 2 * windows_->near_workers();
}

} // namespace grapevine::mix
