#include "base/error.h"
#include "net/c10d/meeting.h"
#include "net/gloo.h"

#include <fmt/format.h>

#include <mutex>

namespace grapevine::net {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(const std::string& text) {
  return Bytes(text.begin(), text.end());
}

std::string text_of(const Bytes& bytes) {
  return std::string(bytes.begin(), bytes.end());
}

// c10d's store takes one caller at a time; none of these calls waits for a key,
// so each lasts as long as the way to the store and back.
class GlooKeyValueStore : public KeyValueStore {
  // First, since its return type is that of the call.
  template <typename Call>
  auto with_store(Call&& call) {
    const std::lock_guard lock(mutex_);
    try {
      if (store_ == nullptr) open_again();
      return call(*store_);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      // Its connection may be out of step now.
      if (!serves_store(environment_)) store_.reset();
      throw TransportError(fmt::format(
          "worker {} cannot reach the store at {} ({})",
          environment_.rank,
          where_store_is(environment_),
          first_line(error.what())));
    }
  }

 public:
  GlooKeyValueStore(const LaunchEnvironment& environment, Deadline deadline)
      : environment_(lasting(environment)),
        store_(open_run_store(environment_, deadline)) {}

  int64_t add(const std::string& key, int64_t amount) override {
    // To add nothing to a file would make it longer each time.
    if (amount == 0 && !environment_.store_file.empty()) {
      return parse_count(get(key).value_or("0"));
    }
    return with_store([&](auto& store) { return store.add(key, amount); });
  }

  void set(const std::string& key, const std::string& text) override {
    with_store([&](auto& store) {
      store.set(key, bytes_of(text));
      return true;
    });
  }

  std::optional<std::string> get(const std::string& key) override {
    return with_store([&](auto& store) -> std::optional<std::string> {
      if (!store.check({key})) return std::nullopt;
      return text_of(store.get(key));
    });
  }

  std::string set_once(const std::string& key, const std::string& text)
      override {
    return with_store([&](auto& store) {
      return text_of(store.compareSet(key, {}, bytes_of(text)));
    });
  }

 private:
  // Workers come and go, and come back.
  static LaunchEnvironment lasting(LaunchEnvironment environment) {
    environment.keeps_store_file = true;
    return environment;
  }

  void open_again() {
    if (!next_try_.passed()) throw std::runtime_error("lost");
    next_try_ = Deadline::after(std::chrono::seconds(1));
    store_ =
        open_run_store(environment_, Deadline::after(std::chrono::seconds(1)));
  }

  const LaunchEnvironment environment_;
  std::mutex mutex_;
  // Guarded by mutex_.
  StorePointer store_; // null: lost
  Deadline next_try_ = Deadline::after(std::chrono::seconds(0));
};

class TcpStoreServer : public StoreServer {
 public:
  explicit TcpStoreServer(c10::intrusive_ptr<::c10d::TCPStore> store)
      : store_(std::move(store)) {}
  int port() const override { return store_->getPort(); }

  void say_lost(int rank, const std::string& how) override {
    say([&](::c10d::Store& corner) {
      corner.set(lost_key(rank), bytes_of(how));
      corner.add(kLostCountKey, 1);
      corner.add(kNewsKey, 1);
    });
  }

  void say_missing(const std::string& how) override {
    say([&](::c10d::Store& corner) { // the first is the cause of the others
      corner.compareSet(kMissingKey, {}, bytes_of(how));
    });
  }

 private:
  template <typename Words>
  void say(const Words& words) {
    try {
      words(*run_corner(store_, /*restart_attempt=*/0));
    } catch (const std::exception&) {
      // The others find out by themselves, only later.
    }
  }

  c10::intrusive_ptr<::c10d::TCPStore> store_;
};

} // namespace

std::unique_ptr<KeyValueStore> open_gloo_store(
    const LaunchEnvironment& environment,
    Deadline deadline) {
  return std::make_unique<GlooKeyValueStore>(environment, deadline);
}

std::unique_ptr<StoreServer> serve_store(int port) {
  try {
    return std::make_unique<TcpStoreServer>(make_tcp_store(
        "127.0.0.1",
        port,
        /*serve=*/true,
        std::chrono::seconds(30)));
  } catch (const std::exception& error) {
    throw TransportError(fmt::format(
        "cannot serve the meeting point at port {} ({}); is it in use?",
        port,
        first_line(error.what())));
  }
}

std::unique_ptr<StoreServer> serve_store_for(LaunchEnvironment& environment) {
  environment.keeps_store_file = true;
  if (environment.store_is_served || !environment.store_file.empty() ||
      environment.master_port <= 0) {
    return nullptr;
  }
  environment.store_is_served = true;
  if (environment.rank != 0) return nullptr;
  return serve_store(environment.master_port);
}

} // namespace grapevine::net
