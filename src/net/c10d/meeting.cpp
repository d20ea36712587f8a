#include "net/c10d/meeting.h"

#include "base/error.h"
#include "base/shared_memory.h"
#include "net/c10d/no_sigpipe.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

namespace grapevine::net {
namespace {

using std::chrono::milliseconds;

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" ||
         address.starts_with("127.");
}

StorePointer open_tcp_store(
    const LaunchEnvironment& environment,
    Deadline deadline) {
  try {
    return make_tcp_store(
        environment.master_address,
        environment.master_port,
        serves_store(environment),
        c10d_timeout_seconds(deadline));
  } catch (const std::exception& error) {
    const auto cause = first_line(error.what());
    if (serves_store(environment)) {
      throw TransportError(fmt::format(
          "worker 0 cannot serve the meeting point at port {} ({}); is it in "
          "use? Choose another MASTER_PORT",
          environment.master_port,
          cause));
    }
    const auto message = fmt::format(
        "worker {} cannot reach the meeting point at {} ({})",
        environment.rank,
        where_store_is(environment),
        cause);
    if (says_timed_out(cause)) throw TimeoutError(message);
    throw TransportError(message);
  }
}

StorePointer open_store(
    const LaunchEnvironment& environment,
    Deadline deadline) {
  StorePointer store;
  if (!environment.store_file.empty()) {
    // c10d counts the stores that were closed, and the last removes the file.
    constexpr int kNeverRemove = -1;
    store = c10::make_intrusive<::c10d::FileStore>(
        environment.store_file,
        environment.keeps_store_file ? kNeverRemove : environment.size);
  } else if (
      !environment.master_address.empty() && environment.master_port > 0) {
    store = open_tcp_store(environment, deadline);
  } else {
    throw ConfigError(
        "the gloo transport has no meeting point: set MASTER_ADDR and "
        "MASTER_PORT, or GRAPEVINE_STORE_FILE, or start the workers by "
        "grapevine launch, torchrun or srun");
  }
  store->setTimeout(c10d_timeout_seconds(deadline));
  return store;
}

std::string present_key(const std::string& stage, int rank) {
  return fmt::format("{}/{}", stage, rank);
}

std::vector<int>
missing_ranks(::c10d::Store& store, const std::string& stage, int size) {
  std::vector<int> missing;
  for (int rank = 0; rank < size; ++rank) {
    if (!store.check({present_key(stage, rank)})) missing.push_back(rank);
  }
  return missing;
}

// "rank 2" or "ranks 2, 5, 6".
std::string list_ranks(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < ranks.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

void sign_in(::c10d::Store& store, const std::string& stage, int rank) {
  store.set(present_key(stage, rank), std::vector<uint8_t>{1});
  store.add(stage, 1);
}

// Polls a counter, which costs the store little however many come; a wait
// that times out would leave c10d's connection out of step.
void await_all(
    ::c10d::Store& run_store,
    ::c10d::Store& store,
    const std::string& stage,
    int size,
    Deadline deadline) {
  auto pause = milliseconds(1);
  while (store.add(stage, 0) < size) {
    if (run_store.check({kMissingKey})) {
      const auto how = run_store.get(kMissingKey);
      throw TransportError(fmt::format(
          "{} before all workers had met",
          std::string(how.begin(), how.end())));
    }
    if (deadline.passed()) {
      const auto missing = missing_ranks(store, stage, size);
      if (missing.empty()) return;
      throw TimeoutError(fmt::format(
          "timed out waiting for {} of {} workers to {}: missing {}",
          missing.size(),
          size,
          stage,
          list_ranks(missing)));
    }
    std::this_thread::sleep_for(std::min(pause, deadline.remaining()));
    pause = std::min(2 * pause, milliseconds(100));
  }
}

} // namespace

bool serves_store(const LaunchEnvironment& environment) {
  return environment.store_file.empty() && !environment.store_is_served &&
         environment.rank == 0;
}

std::string where_store_is(const LaunchEnvironment& environment) {
  return environment.store_file.empty() ? fmt::format(
                                              "{}:{}",
                                              environment.master_address,
                                              environment.master_port)
                                        : environment.store_file;
}

StorePointer open_run_store(
    const LaunchEnvironment& environment,
    Deadline deadline) {
  return run_corner(
      open_store(environment, deadline),
      environment.restart_attempt);
}

std::shared_ptr<::gloo::transport::Device> make_gloo_device(
    const LaunchEnvironment& environment) {
  using Group = ::c10d::ProcessGroupGloo;
  const NoSigpipe no_sigpipe; // for the thread that serves the connections
  if (is_loopback(environment.master_address)) {
    return Group::createDeviceForHostname("127.0.0.1");
  }
  if (!environment.host_address.empty()) {
    return Group::createDeviceForHostname(environment.host_address);
  }
  if (!environment.interface.empty()) {
    return Group::createDeviceForInterface(environment.interface);
  }
  return Group::createDefaultDevice();
}

std::string memory_domain(const LaunchEnvironment& environment) {
  return environment.shares_memory ? memory_domain_of_this_process() : "";
}

c10::intrusive_ptr<::c10d::ProcessGroupGloo> connect_group(
    const StorePointer& store,
    const std::shared_ptr<::gloo::transport::Device>& device,
    int rank,
    int size,
    Deadline deadline) {
  const NoSigpipe no_sigpipe;
  auto options = ::c10d::ProcessGroupGloo::Options::create();
  options->timeout = c10d_timeout_seconds(deadline);
  options->threads = 1; // serves collectives, which are not used
  options->devices.push_back(device);
  return c10::make_intrusive<::c10d::ProcessGroupGloo>(
      store,
      rank,
      size,
      options);
}

Meeting meet(const LaunchEnvironment& environment, Deadline deadline) {
  // Workers make their groups in the same order, so each has a number of its
  // own, and none finds the addresses of another.
  static std::atomic<int> meetings = 0;
  const int number = meetings++;
  const auto run_store = open_run_store(environment, deadline);
  auto store = c10::make_intrusive<::c10d::PrefixStore>(
      fmt::format("meeting/{}", number),
      run_store);
  const int rank = environment.rank;
  const int size = environment.size;
  try {
    sign_in(*store, "arrive", rank);
    await_all(*run_store, *store, "arrive", size, deadline);
    auto group = connect_group(
        store,
        make_gloo_device(environment),
        rank,
        size,
        deadline);
    // The one who serves the store must not leave while others read in it.
    sign_in(*store, "connect", rank);
    if (serves_store(environment)) {
      await_all(*run_store, *store, "connect", size, deadline);
    }
    return {std::move(store), std::move(group), memory_domain(environment)};
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const auto cause = first_line(error.what());
    const auto message = fmt::format(
        "worker {} cannot connect to its peers (meeting point {}): {}",
        rank,
        where_store_is(environment),
        cause);
    if (says_timed_out(cause)) throw TimeoutError(message);
    throw TransportError(message);
  }
}

} // namespace grapevine::net
