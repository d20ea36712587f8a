#include "data/loader.h"

#include "base/check.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace grapevine::data {
namespace {

// Batches are numbered in the order in which they are wanted: by step, then
// by place in the list of hosted workers.
enum class SlotState { kFree, kFilling, kReady };

struct Slot {
  SlotState state = SlotState::kFree;
  int64_t number = -1; // of the batch, unless free
  Batch batch;
  std::exception_ptr failure; // in place of the batch
};

} // namespace

struct Loader::State {
  // Fixed at the start.
  std::shared_ptr<const Source> source;
  std::shared_ptr<const Sharder> sharder;
  LoaderOptions options;
  int64_t batches = 0; // of the whole run

  std::mutex mutex;
  std::condition_variable changed; // anything below
  // Guarded by mutex, but for the batch of a slot that is kFilling: that one
  // is that of the thread that fills it.
  std::vector<Slot> slots;
  int64_t next = 0;          // all before it are begun, it is not
  std::set<int64_t> claimed; // those after next that their takers gather
  int takers = 0;
  bool stopping = false;

  // Last, so that they end before the rest goes.
  std::vector<std::jthread> threads;

  int64_t number_of(int64_t step, int worker) const;
  void gather(int64_t number, Batch& batch) const;
  void prefetch();
  Slot* begin_slot();
  Slot* find_slot(int64_t number);
  bool claim(int64_t number);
  void skip_claimed();
  void take(int64_t number, Batch& batch);
};

int64_t Loader::State::number_of(int64_t step, int worker) const {
  const auto& workers = options.workers;
  GV_CHECK(step >= options.first_step && step < options.last_step);
  const auto place = std::lower_bound(workers.begin(), workers.end(), worker);
  GV_CHECK(place != workers.end() && *place == worker);
  return (step - options.first_step) * static_cast<int64_t>(workers.size()) +
         (place - workers.begin());
}

void Loader::State::gather(int64_t number, Batch& batch) const {
  const auto hosted = static_cast<int64_t>(options.workers.size());
  const int64_t step = options.first_step + number / hosted;
  const int64_t epoch = step / options.steps_per_epoch;
  const auto samples = sharder->indices(
      epoch,
      step % options.steps_per_epoch,
      options.workers[number % hosted]);
  const Draw draw{.seed = options.seed, .epoch = epoch};
  source->gather(samples, batch, &draw);
}

void Loader::State::prefetch() {
  std::unique_lock lock(mutex);
  for (;;) {
    Slot* slot = nullptr;
    changed.wait(lock, [&] {
      return stopping || next >= batches || (slot = begin_slot()) != nullptr;
    });
    if (slot == nullptr) return; // stopping, or all is done
    const int64_t number = slot->number;
    lock.unlock();
    std::exception_ptr failure;
    try {
      gather(number, slot->batch);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    slot->failure = failure;
    slot->state = SlotState::kReady;
    changed.notify_all();
  }
}

// A free slot, set aside for the next batch that nobody has claimed; null
// where there is no such slot or batch.
Slot* Loader::State::begin_slot() {
  const auto slot = std::find_if(slots.begin(), slots.end(), [](const Slot& s) {
    return s.state == SlotState::kFree;
  });
  if (slot == slots.end() || next >= batches) return nullptr;
  slot->state = SlotState::kFilling;
  slot->number = next++;
  skip_claimed();
  return &*slot;
}

Slot* Loader::State::find_slot(int64_t number) {
  for (auto& slot : slots) {
    if (slot.state != SlotState::kFree && slot.number == number) return &slot;
  }
  return nullptr;
}

// Whether the caller is to gather this batch; else it is in a slot.
bool Loader::State::claim(int64_t number) {
  if (find_slot(number) != nullptr) return false;
  const bool taken_before = number < next || !claimed.insert(number).second;
  GV_CHECK(!taken_before);
  skip_claimed();
  return true;
}

void Loader::State::skip_claimed() {
  while (claimed.erase(next) > 0)
    ++next;
}

void Loader::State::take(int64_t number, Batch& batch) {
  std::unique_lock lock(mutex);
  if (claim(number)) {
    lock.unlock();
    gather(number, batch);
    return;
  }
  Slot* slot = find_slot(number);
  changed.wait(lock, [&] { return slot->state == SlotState::kReady; });
  std::swap(batch, slot->batch);
  const auto failure = std::exchange(slot->failure, nullptr);
  slot->state = SlotState::kFree;
  changed.notify_all();
  lock.unlock();
  if (failure) std::rethrow_exception(failure);
}

Loader::Loader(
    std::shared_ptr<const Source> source,
    std::shared_ptr<const Sharder> sharder,
    LoaderOptions options)
    : state_(std::make_unique<State>()) {
  const auto& workers = options.workers;
  GV_CHECK(!workers.empty());
  GV_CHECK(
      std::adjacent_find(
          workers.begin(),
          workers.end(),
          std::greater_equal<>()) == workers.end());
  GV_CHECK_GE(options.steps_per_epoch, 1);
  GV_CHECK_LE(options.steps_per_epoch, sharder->steps_per_epoch());
  GV_CHECK_GE(options.first_step, 0);
  GV_CHECK_GE(options.prefetch, 0);
  GV_CHECK_GE(options.threads, 1);
  State& state = *state_;
  state.batches = std::max<int64_t>(options.last_step - options.first_step, 0) *
                  static_cast<int64_t>(workers.size());
  state.slots.resize(options.prefetch);
  state.source = std::move(source);
  state.sharder = std::move(sharder);
  state.options = std::move(options);
  if (state.batches == 0) return;
  // More than slots would only wait for one another.
  const int threads = std::min(state.options.threads, state.options.prefetch);
  for (int i = 0; i < threads; ++i)
    state.threads.emplace_back([&state] { state.prefetch(); });
}

Loader::~Loader() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
  state_->changed.wait(lock, [&] { return state_->takers == 0; });
}

void Loader::take(int64_t step, int worker, Batch& batch) {
  State& state = *state_;
  const int64_t number = state.number_of(step, worker);
  struct Presence {
    State& state;
    explicit Presence(State& s) : state(s) {
      const std::lock_guard lock(state.mutex);
      ++state.takers;
    }
    ~Presence() {
      // Told under the lock: once it is free the state may go at any moment.
      const std::lock_guard lock(state.mutex);
      --state.takers;
      if (state.stopping) state.changed.notify_all();
    }
  } presence(state);
  state.take(number, batch);
}

} // namespace grapevine::data
