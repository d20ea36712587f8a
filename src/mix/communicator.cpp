#include "mix/communicator.h"

#include "base/check.h"
#include "base/lru_cache.h"
#include "mix/collectives.h"
#include "mix/exchanger.h"
#include "mix/link.h"
#include "mix/mix_executor.h"
#include "mix/plans/plans.h"
#include "mix/tags.h"
#include "mix/workspace.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

namespace grapevine::mix {

namespace {

constexpr int64_t kLeastChunkBytes = 4096;
// Pieces of an exchange that are in flight at once, each way.
constexpr int64_t kExchangeWindow = 8;
// Nothing is computed meanwhile, so pieces need not be as fine as a mixing's
// chunks; waking up for each costs more than it gives (measured over Gloo).
constexpr int64_t kExchangePieceFloats = int64_t{1} << 23;

struct MixKey {
  uint64_t plan;
  int64_t count;
  auto operator<=>(const MixKey&) const = default;
};

// Nobody waits for a chunk of a plane that is there as a whole.
class NoEvents : public ChunkEvents {
 public:
  void before(int64_t) override {}
  void after(int64_t) override {}
};

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
      std::unique_ptr<net::Transport> transport,
      const CommunicatorOptions& options)
      : options(options),
        link(std::move(transport), options.deadline),
        exchanger(link, workspace, options.cores) {}

  MixExecutor& prepare(const Plan& plan, int64_t count) {
    return mixes.get({plan.id(), count}, [&] {
      MixExecutor executor(
          plan,
          link.rank(),
          even_chunks(plan, count, options.chunk_bytes));
      workspace.need_scratch(executor.scratch_floats());
      return executor;
    });
  }

  CommunicatorOptions options;
  Traffic traffic;
  Workspace workspace; // before the link, which it outlives
  LruCache<MixKey, MixExecutor> mixes{kRememberedPlans};
  std::shared_ptr<const Plan> all_reduce;
  Link link;
  Exchanger exchanger;
};

Communicator::Communicator(
    std::unique_ptr<net::Transport> transport,
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

const net::Transport& Communicator::transport() const {
  return state_->link.transport();
}

void Communicator::mix(const Plan& plan, std::span<float> plane) {
  GV_CHECK_EQ(plan.n(), size());
  const auto count = static_cast<int64_t>(plane.size());
  state_->link.run("mix", [&] {
    MixExecutor& executor = state_->prepare(plan, count);
    NoEvents events;
    executor.run(
        state_->link,
        plane.data(),
        plane.data(),
        state_->workspace.scratch(),
        events);
    state_->traffic += executor.traffic();
  });
}

void Communicator::run(Exchange& exchange) {
  Link& link = state_->link;
  try {
    link.set_step(exchange.request().step);
    link.run("exchange", [&] {
      state_->traffic += state_->exchanger.run(exchange);
    });
    exchange.finish(nullptr);
  } catch (...) {
    exchange.finish(std::current_exception());
  }
}

NearExchange* Communicator::open_near(const ExchangeSpec& request) {
  NearExchange* near = state_->exchanger.open_near(request);
  if (near != nullptr) state_->traffic += near->traffic();
  return near;
}

double Communicator::near_seconds() const {
  return state_->exchanger.near_seconds();
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
    const int messages = mix::sum(link, values);
    state_->traffic +=
        {.messages = messages,
         .bytes = messages * static_cast<int64_t>(values.size_bytes())};
  });
}

std::vector<std::string> Communicator::all_gather(const std::string& mine) {
  Link& link = state_->link;
  return link.run("all-gather", [&] { return mix::all_gather(link, mine); });
}

std::vector<std::string> Communicator::gather(
    const std::string& mine,
    int root) {
  Link& link = state_->link;
  return link.run("gather", [&] { return mix::gather(link, mine, root); });
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
  link.run("broadcast", [&] { mix::broadcast(link, bytes, root); });
}

std::string Communicator::broadcast(std::string text, int root) {
  Link& link = state_->link;
  return link.run("broadcast", [&] {
    return mix::broadcast(link, std::move(text), root);
  });
}

bool Communicator::any(bool mine) {
  Link& link = state_->link;
  return link.run("any", [&] { return mix::any(link, mine); });
}

void Communicator::barrier() {
  Link& link = state_->link;
  link.run("barrier", [&] { mix::any(link, false); });
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

} // namespace grapevine::mix
