#include "comm/communicator.h"

#include "base/aligned.h"
#include "base/check.h"
#include "comm/collectives.h"
#include "comm/group_plan.h"
#include "comm/inbox_executor.h"
#include "comm/link.h"
#include "comm/mix_executor.h"
#include "comm/tags.h"
#include "comm/windows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <thread>
#include <utility>
#include <variant>

namespace grapevine::comm {

namespace {

constexpr size_t kRemembered = 64;
constexpr int64_t kLeastChunkBytes = 4096;
// Pieces of an exchange that are in flight at once, each way.
constexpr int64_t kExchangeWindow = 8;
// Nothing is computed meanwhile, so pieces need not be as fine as a mixing's
// chunks; waking up for each costs more than it gives (measured over Gloo).
constexpr int64_t kExchangePieceFloats = int64_t{1} << 23;

struct PreparedMix {
  uint64_t plan;
  int64_t count;
  std::vector<Range> chunks;
  MixExecutor executor;
};

struct PreparedExchange {
  uint64_t plan;
  uint64_t cut;
  bool in_place;
  std::variant<MixExecutor, InboxExecutor> executor;
};

// Hands a mixing's chunks to the caller's hooks as ranges.
class HookEvents : public ChunkEvents {
 public:
  HookEvents(const MixHooks& hooks, const std::vector<Range>& chunks)
      : hooks_(hooks),
        chunks_(chunks) {}
  void before(int64_t c) override {
    if (hooks_.before) hooks_.before(chunks_[c]);
  }
  void after(int64_t c) override {
    if (hooks_.after) hooks_.after(chunks_[c]);
  }

 private:
  const MixHooks& hooks_;
  const std::vector<Range>& chunks_;
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

// Room for one more; the oldest goes.
template <typename Prepared>
void make_room(std::list<Prepared>& prepared) {
  if (prepared.size() == kRemembered) prepared.pop_front();
}

// One direction of an exchange: pieces are posted and waited for in order.
template <typename Float, typename Post>
class Stream {
 public:
  Stream(std::span<Float> data, int64_t piece, Post post)
      : data_(data),
        piece_(piece),
        post_(std::move(post)) {}

  int64_t pieces() const {
    return (static_cast<int64_t>(data_.size()) + piece_ - 1) / piece_;
  }
  // The place of piece i in the window must be free.
  void post(int64_t i) {
    if (i >= pieces()) return;
    const auto begin = static_cast<size_t>(i * piece_);
    const size_t size =
        std::min(static_cast<size_t>(piece_), data_.size() - begin);
    tickets_[i % kExchangeWindow] = post_(data_.subspan(begin, size));
  }
  void wait(Link& link, int64_t i) {
    if (i < pieces()) link.wait(tickets_[i % kExchangeWindow]);
  }

 private:
  std::span<Float> data_;
  int64_t piece_;
  Post post_;
  std::array<Ticket, kExchangeWindow> tickets_;
};

} // namespace

struct Communicator::State {
  State(
      std::unique_ptr<transport::Transport> transport,
      const CommunicatorOptions& options)
      : options(options),
        link(std::move(transport), options.deadline) {}

  PreparedMix& prepare(const Plan& plan, int64_t count) {
    for (PreparedMix& it : mixes) {
      if (it.plan == plan.id() && it.count == count) return it;
    }
    make_room(mixes);
    auto chunks = even_chunks(plan, count, options.chunk_bytes);
    MixExecutor executor(plan, link.rank(), chunks);
    need_scratch(executor.scratch_floats());
    return mixes.emplace_back(
        PreparedMix{plan.id(), count, std::move(chunks), std::move(executor)});
  }

  PreparedExchange& prepare(const ExchangeRequest& request) {
    for (PreparedExchange& it : exchanges) {
      if (it.plan == request.plan->id() && it.cut == request.cut->id &&
          it.in_place == request.in_place) {
        return it;
      }
    }
    make_room(exchanges);
    const Plan& plan = *request.plan;
    const Program program = plan.program(link.rank());
    const auto& chunks = request.cut->chunks;
    const std::vector<int> near = near_peers(plan, program);
    const bool wants_inboxes = !request.in_place || !near.empty();
    if (wants_inboxes && InboxExecutor::fits(program)) {
      return exchanges.emplace_back(PreparedExchange{
          plan.id(),
          request.cut->id,
          request.in_place,
          InboxExecutor(program, chunks, near)});
    }
    MixExecutor executor(plan, link.rank(), chunks);
    need_scratch(executor.scratch_floats());
    return exchanges.emplace_back(PreparedExchange{
        plan.id(),
        request.cut->id,
        request.in_place,
        std::move(executor)});
  }

  // Those of the peers in a program that windows serve: both it and theirs
  // must be of the kind that can use them, so that both sides do.
  std::vector<int> near_peers(const Plan& plan, const Program& program) {
    std::vector<int> near;
    if (!InboxExecutor::fits(program)) return near;
    const auto consider = [&](int peer) {
      if (!windows->is_near(peer) ||
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

  void run(Exchange& exchange) {
    const ExchangeRequest& request = exchange.request();
    need_windows(static_cast<int64_t>(request.plane.size()));
    windows->begin(
        request.cut->id,
        static_cast<int64_t>(request.cut->chunks.size()));
    LendingEvents events(exchange, *windows);
    std::visit(
        [&](auto& executor) {
          run(executor, exchange, events);
          traffic += executor.traffic();
        },
        prepare(request).executor);
  }

  bool has_windows(int64_t floats) const {
    return windows && floats <= windows->floats();
  }

  // Collective where there are none of that size. Old ones were those of a
  // smaller model that has ended; they go when all have met for the new ones,
  // so nobody is at an exchange in them. Who is near may be others now.
  void need_windows(int64_t floats) {
    if (has_windows(floats)) return;
    windows = std::make_unique<Windows>(link, floats);
    exchanges.clear();
    inboxes.clear();
    inbox_pointers.clear();
  }

  void run(MixExecutor& executor, Exchange& exchange, ChunkEvents& events) {
    float* value = exchange.request().plane.data();
    if (exchange.request().in_place) {
      exchange.begin(link, {}, executor.traffic());
      executor.run(link, value, value, scratch.data(), events);
      return;
    }
    const bool changes = executor.changes_value();
    if (changes) need_inboxes(1);
    float* result = changes ? inbox_pointers[0] : value;
    const float* term = result;
    exchange.begin(
        link,
        {.terms = {&term, 1}, .weights = {}},
        executor.traffic());
    executor.run(link, value, result, scratch.data(), events);
  }

  void run(InboxExecutor& executor, Exchange& exchange, ChunkEvents& events) {
    need_inboxes(executor.inboxes());
    float* value = exchange.request().plane.data();
    std::array<const float*, InboxExecutor::kMostInboxes + 1> terms{};
    size_t count = 0;
    for (const auto& term : executor.terms()) {
      terms[count++] = term.inbox >= 0  ? inbox_pointers[term.inbox]
                       : term.near >= 0 ? windows->outbox_of(term.near)
                                        : value;
    }
    const kernel::MixTerms mix{
        .terms = {terms.data(), count},
        .weights = executor.weights(),
        .scale = executor.scale()};
    const bool in_place = exchange.request().in_place;
    exchange.begin(
        link,
        in_place ? kernel::MixTerms{} : mix,
        executor.traffic());
    executor.run(
        {.link = link,
         .windows = windows.get(),
         .value = value,
         .inboxes = inbox_pointers,
         .in_place = in_place ? &mix : nullptr},
        events);
    if (!in_place) windows->lend(executor.near_sources());
  }

  NearExchange* open_near(const ExchangeRequest& request) {
    const auto floats = static_cast<int64_t>(request.plane.size());
    if (!request.in_place || !has_windows(floats) || !cores_are_short()) {
      return nullptr;
    }
    auto* executor = std::get_if<InboxExecutor>(&prepare(request).executor);
    if (executor == nullptr || !executor->is_all_near()) return nullptr;
    near.open(link, *windows, *executor, request);
    traffic += executor->traffic();
    return &near;
  }

  // For a second thread a worker.
  bool cores_are_short() const {
    return options.cores < 2 * windows->near_workers();
  }

  void need_scratch(int64_t floats) {
    if (scratch.size() < floats) scratch = AlignedFloats(floats);
  }

  // Inboxes that are there stay where they are: the owner may be reading. Each
  // is as large as windows are, whatever plane it is made for, so that it holds
  // every plane that they do (need_windows).
  void need_inboxes(int count) {
    while (inboxes.size() < static_cast<size_t>(count)) {
      inboxes.emplace_back(windows->floats());
      inbox_pointers.push_back(inboxes.back().data());
    }
  }

  CommunicatorOptions options;
  Traffic traffic;
  // Shared by all plans, since one runs at a time. Outlives the link, whose
  // unfinished operations may still point here.
  AlignedFloats scratch;
  std::list<AlignedFloats> inboxes;
  std::vector<float*> inbox_pointers;
  std::list<PreparedMix> mixes;
  std::list<PreparedExchange> exchanges;
  std::shared_ptr<const Plan> all_reduce;
  Link link;
  std::unique_ptr<Windows> windows; // from the first exchange on
  NearExchange near;
};

Communicator::Communicator(
    std::unique_ptr<transport::Transport> transport,
    CommunicatorOptions options) {
  GV_CHECK(transport != nullptr);
  options.chunk_bytes = std::max(options.chunk_bytes, kLeastChunkBytes);
  if (options.cores == 0) { // asked for once, not in every step
    options.cores = static_cast<int>(std::thread::hardware_concurrency());
  }
  state_ = std::make_unique<State>(std::move(transport), options);
}

Communicator::~Communicator() = default;

int Communicator::rank() const {
  return state_->link.rank();
}

int Communicator::size() const {
  return state_->link.size();
}

const transport::Transport& Communicator::transport() const {
  return state_->link.transport();
}

void Communicator::mix(
    const Plan& plan,
    std::span<float> plane,
    const MixHooks& hooks) {
  GV_CHECK_EQ(plan.n(), size());
  const auto count = static_cast<int64_t>(plane.size());
  state_->link.run("mix", [&] {
    PreparedMix& prepared = state_->prepare(plan, count);
    HookEvents events(hooks, prepared.chunks);
    prepared.executor.run(
        state_->link,
        plane.data(),
        plane.data(),
        state_->scratch.data(),
        events);
    state_->traffic += prepared.executor.traffic();
  });
}

void Communicator::run(Exchange& exchange) {
  Link& link = state_->link;
  try {
    link.set_step(exchange.request().step);
    link.run("exchange", [&] { state_->run(exchange); });
    exchange.finish(nullptr);
  } catch (...) {
    exchange.finish(std::current_exception());
  }
}

NearExchange* Communicator::open_near(const ExchangeRequest& request) {
  return state_->open_near(request);
}

double Communicator::near_seconds() const {
  return state_->near.busy_seconds();
}

void Communicator::exchange(
    int peer,
    std::span<const float> outgoing,
    std::span<float> incoming) {
  Link& link = state_->link;
  GV_CHECK(peer >= 0 && peer < size() && peer != rank());
  const int64_t piece = kExchangePieceFloats;
  link.run("exchange", [&] {
    Stream in(incoming, piece, [&](std::span<float> part) {
      return link.recv(std::as_writable_bytes(part), peer, kExchangeTag);
    });
    Stream out(outgoing, piece, [&](std::span<const float> part) {
      return link.send(std::as_bytes(part), peer, kExchangeTag);
    });
    for (int64_t i = 0; i < kExchangeWindow; ++i) {
      in.post(i);
      out.post(i);
    }
    const int64_t pieces = std::max(in.pieces(), out.pieces());
    for (int64_t i = 0; i < pieces; ++i) {
      in.wait(link, i);
      in.post(i + kExchangeWindow);
      out.wait(link, i);
      out.post(i + kExchangeWindow);
    }
    state_->traffic +=
        {.messages = outgoing.empty() ? 0 : 1,
         .bytes = static_cast<int64_t>(outgoing.size_bytes())};
  });
}

void Communicator::all_reduce_mean(std::span<float> values) {
  if (!state_->all_reduce) state_->all_reduce = make_all_reduce_plan(size());
  mix(*state_->all_reduce, values);
}

void Communicator::sum(std::span<double> values) {
  Link& link = state_->link;
  link.run("sum", [&] {
    const int messages = comm::sum(link, values);
    state_->traffic +=
        {.messages = messages,
         .bytes = messages * static_cast<int64_t>(values.size_bytes())};
  });
}

std::vector<std::string> Communicator::all_gather(const std::string& mine) {
  Link& link = state_->link;
  return link.run("all-gather", [&] { return comm::all_gather(link, mine); });
}

std::vector<std::string> Communicator::gather(
    const std::string& mine,
    int root) {
  Link& link = state_->link;
  return link.run("gather", [&] { return comm::gather(link, mine, root); });
}

std::vector<std::vector<double>> Communicator::gather(
    std::span<const double> mine,
    int root) {
  const auto bytes = std::as_bytes(mine);
  const auto texts = gather(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
      root);
  std::vector<std::vector<double>> all;
  for (const std::string& text : texts) {
    auto& values = all.emplace_back(text.size() / sizeof(double));
    if (!text.empty()) std::memcpy(values.data(), text.data(), text.size());
  }
  return all;
}

void Communicator::broadcast(std::span<std::byte> bytes, int root) {
  Link& link = state_->link;
  link.run("broadcast", [&] { comm::broadcast(link, bytes, root); });
}

std::string Communicator::broadcast(std::string text, int root) {
  Link& link = state_->link;
  return link.run("broadcast", [&] {
    return comm::broadcast(link, std::move(text), root);
  });
}

bool Communicator::any(bool mine) {
  Link& link = state_->link;
  return link.run("any", [&] { return comm::any(link, mine); });
}

void Communicator::barrier() {
  Link& link = state_->link;
  link.run("barrier", [&] { comm::any(link, false); });
}

void Communicator::set_step(int64_t step) {
  state_->link.set_step(step);
}

const Traffic& Communicator::traffic() const {
  return state_->traffic;
}

void Communicator::interrupt() {
  state_->link.interrupt();
}

const FlightRecorder& Communicator::flight_recorder() const {
  return state_->link.recorder();
}

} // namespace grapevine::comm
