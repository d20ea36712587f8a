#include "base/error.h"
#include "transport/c10d/gloo_parts.h"
#include "transport/c10d/meeting.h"

#include <fmt/format.h>

#include <thread>

namespace grapevine::transport {
namespace {

using std::chrono::milliseconds;

// The corner of the board where one party finds itself, as c10d wants it. Its
// waits look at the board from time to time instead of waiting in it, so that
// they neither hold up others nor leave the connection out of step, and end
// when they are told to.
class PartyStore : public ::c10d::Store {
 public:
  PartyStore(
      std::shared_ptr<Board> board,
      std::string name,
      Deadline deadline,
      const std::atomic<bool>& cancelled)
      : board_(std::move(board)),
        name_(std::move(name)),
        deadline_(deadline),
        cancelled_(&cancelled) {}

  // The group keeps this store; it must not look at the flag any more.
  void forget_cancel() { cancelled_ = nullptr; }

  void set(const std::string& key, const std::vector<uint8_t>& value) override {
    board_->set(place(key), std::string(value.begin(), value.end()));
  }

  std::vector<uint8_t> get(const std::string& key) override {
    wait({key});
    const auto text = board_->get(place(key)).value_or("");
    return std::vector<uint8_t>(text.begin(), text.end());
  }

  int64_t add(const std::string& key, int64_t value) override {
    return board_->add(place(key), value);
  }

  bool check(const std::vector<std::string>& keys) override {
    return std::all_of(keys.begin(), keys.end(), [this](const auto& key) {
      return board_->get(place(key)).has_value();
    });
  }

  void wait(
      const std::vector<std::string>& keys,
      const milliseconds& /*timeout*/) override {
    wait(keys); // the deadline counts
  }

  void wait(const std::vector<std::string>& keys) override {
    auto pause = milliseconds(1);
    while (!check(keys)) {
      if (cancelled_ != nullptr && *cancelled_) {
        throw TransportError("given up");
      }
      if (deadline_.passed()) {
        throw TimeoutError("timed out: not all have come to be connected");
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, milliseconds(20));
    }
  }

  bool deleteKey(const std::string&) override { return false; }
  int64_t getNumKeys() override { return 0; }

 private:
  std::string place(const std::string& key) const { return name_ + "/" + key; }

  std::shared_ptr<Board> board_;
  std::string name_;
  Deadline deadline_;
  const std::atomic<bool>* cancelled_;
};

std::string list_workers(const Party& party) {
  std::string text;
  for (size_t i = 0; i < party.workers.size(); ++i) {
    if (static_cast<int>(i) == party.self) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(party.workers[i]);
  }
  return text;
}

class GlooConnector : public Connector {
 public:
  GlooConnector(
      const LaunchEnvironment& environment,
      std::shared_ptr<Board> board)
      : board_(std::move(board)),
        memory_domain_(memory_domain(environment)),
        device_(make_gloo_device(environment)) {}

  std::unique_ptr<Transport> connect(
      const Party& party,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    const auto store = c10::make_intrusive<PartyStore>(
        board_,
        party.name,
        deadline,
        cancelled);
    const int size = static_cast<int>(party.workers.size());
    try {
      // For a connection Gloo waits five times as long as it is told, and
      // nothing but that time ends its wait for one that has died.
      constexpr int kTimes = 5;
      auto group = connect_group(
          store,
          device_,
          party.self,
          size,
          Deadline::after(deadline.remaining() / kTimes));
      store->forget_cancel();
      return make_gloo_transport(
          Meeting{
              .store = store,
              .group = std::move(group),
              .memory_domain = memory_domain_},
          party.self,
          party.workers);
    } catch (const std::exception& error) {
      const auto cause = first_line(error.what());
      const auto message = fmt::format(
          "worker {} cannot connect with {}: {}",
          party.workers[party.self],
          list_workers(party),
          cause);
      if (says_timed_out(cause)) throw TimeoutError(message);
      throw TransportError(message);
    }
  }

 private:
  std::shared_ptr<Board> board_;
  std::string memory_domain_;
  std::shared_ptr<::gloo::transport::Device> device_;
};

} // namespace

std::unique_ptr<Connector> make_gloo_connector(
    const LaunchEnvironment& environment,
    std::shared_ptr<Board> board) {
  return std::make_unique<GlooConnector>(environment, std::move(board));
}

} // namespace grapevine::transport
