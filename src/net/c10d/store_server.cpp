#include "net/store_server.h"

#include "base/error.h"
#include "net/c10d/c10d.h"
#include "net/c10d/meeting.h"
#include "net/key_value_store.h"

#include <fmt/format.h>

namespace grapevine::net {
namespace {

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
  static std::vector<uint8_t> bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
  }

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
