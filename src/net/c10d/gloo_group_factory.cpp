#include "base/error.h"
#include "net/c10d/meeting.h"
#include "net/gloo.h"

#include <fmt/format.h>

#include <thread>

namespace grapevine::net {
namespace {

using std::chrono::milliseconds;

// The corner of the store where one group finds itself, as c10d wants it. Its
// waits look in the store from time to time instead of waiting in it, so that
// they neither hold up others nor leave the connection out of step, and end
// when they are told to.
class GroupStore : public ::c10d::Store {
 public:
  GroupStore(
      std::shared_ptr<KeyValueStore> store,
      std::string name,
      Deadline deadline,
      const std::atomic<bool>& cancelled)
      : store_(std::move(store)),
        name_(std::move(name)),
        deadline_(deadline),
        cancelled_(&cancelled) {}

  // The group keeps this store; it must not look at the flag any more.
  void forget_cancel() { cancelled_ = nullptr; }

  void set(const std::string& key, const std::vector<uint8_t>& value) override {
    store_->set(place(key), std::string(value.begin(), value.end()));
  }

  std::vector<uint8_t> get(const std::string& key) override {
    wait({key});
    const auto text = store_->get(place(key)).value_or("");
    return std::vector<uint8_t>(text.begin(), text.end());
  }

  int64_t add(const std::string& key, int64_t value) override {
    return store_->add(place(key), value);
  }

  bool check(const std::vector<std::string>& keys) override {
    return std::all_of(keys.begin(), keys.end(), [this](const auto& key) {
      return store_->get(place(key)).has_value();
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

  std::shared_ptr<KeyValueStore> store_;
  std::string name_;
  Deadline deadline_;
  const std::atomic<bool>* cancelled_;
};

std::string list_workers(const GroupSpec& group) {
  std::string text;
  for (size_t i = 0; i < group.workers.size(); ++i) {
    if (static_cast<int>(i) == group.self) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(group.workers[i]);
  }
  return text;
}

class GlooGroupFactory : public GroupFactory {
 public:
  GlooGroupFactory(
      const LaunchEnvironment& environment,
      std::shared_ptr<KeyValueStore> store,
      std::vector<Wrap> wraps)
      : GroupFactory(std::move(wraps)),
        store_(std::move(store)),
        memory_domain_(memory_domain(environment)),
        device_(make_gloo_device(environment)) {}

 private:
  std::unique_ptr<Transport> connect_directly(
      const GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    const auto store = c10::make_intrusive<GroupStore>(
        store_,
        group.name,
        deadline,
        cancelled);
    const int size = static_cast<int>(group.workers.size());
    try {
      // For a connection Gloo waits five times as long as it is told, and
      // nothing but that time ends its wait for one that has died.
      constexpr int kTimes = 5;
      auto process_group = connect_group(
          store,
          device_,
          group.self,
          size,
          Deadline::after(deadline.remaining() / kTimes));
      store->forget_cancel();
      return make_gloo_transport(
          Meeting{
              .store = store,
              .group = std::move(process_group),
              .memory_domain = memory_domain_},
          group.self,
          group.workers);
    } catch (const std::exception& error) {
      const auto cause = first_line(error.what());
      const auto message = fmt::format(
          "worker {} cannot connect with {}: {}",
          group.workers[group.self],
          list_workers(group),
          cause);
      if (says_timed_out(cause)) throw TimeoutError(message);
      throw TransportError(message);
    }
  }

  std::shared_ptr<KeyValueStore> store_;
  std::string memory_domain_;
  std::shared_ptr<::gloo::transport::Device> device_;
};

} // namespace

std::unique_ptr<GroupFactory> make_gloo_group_factory(
    const LaunchEnvironment& environment,
    std::shared_ptr<KeyValueStore> store,
    std::vector<Wrap> wraps) {
  return std::make_unique<GlooGroupFactory>(
      environment,
      std::move(store),
      std::move(wraps));
}

} // namespace grapevine::net
