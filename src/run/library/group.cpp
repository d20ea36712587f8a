#include <grapevine/group.h>

#include "net/transports.h"
#include "run/library/group_state.h"

namespace grapevine {
namespace {

std::unique_ptr<net::Transport> join(
    const net::LaunchEnvironment& environment,
    const net::TransportOptions& options) {
  if (environment.slow.slows()) {
    throw ConfigError(
        "--slow (GRAPEVINE_SLOW) slows down what `grapevine train` computes; "
        "this program computes by itself");
  }
  if (environment.kind == net::LaunchEnvironment::Kind::kAlone) {
    return std::move(net::make_local_transports(1).front());
  }
  return net::make_transport(environment.transport, environment, options);
}

mix::CommunicatorOptions communicator_options(const GroupOptions& options) {
  constexpr double kLongest = 1e9; // as the program has it
  if (!(options.deadline_seconds > 0 && options.deadline_seconds <= kLongest)) {
    throw ConfigError(fmt::format(
        "deadline_seconds: {} is not above 0 and at most {:g}",
        options.deadline_seconds,
        kLongest));
  }
  mix::CommunicatorOptions result;
  result.deadline = std::chrono::duration<double>(options.deadline_seconds);
  result.chunk_bytes = options.bucket_bytes;
  return result;
}

} // namespace

Group Group::from_environment(const GroupOptions& options) {
  const auto communicator = communicator_options(options);
  auto state = std::make_shared<State>();
  state->environment = net::read_launch_environment();
  state->cluster = mix::make_process_cluster(
      join(
          state->environment,
          {.deadline = communicator.deadline, .packs = options.packing}),
      communicator);
  // Before anything else is said, in messages that are too short to be packed.
  state->cluster->compare_fingerprints(
      {{"packing", options.packing ? "true" : "false"}});
  return Group(std::move(state));
}

std::vector<Group> Group::in_process(int n, const GroupOptions& options) {
  std::vector<Group> groups;
  for (auto& transport : net::make_local_transports(n)) {
    auto state = std::make_shared<State>();
    state->cluster = mix::make_process_cluster(
        std::move(transport),
        communicator_options(options));
    groups.push_back(Group(std::move(state)));
  }
  return groups;
}

int Group::rank() const {
  return state_->cluster->hosted().front();
}

int Group::size() const {
  return state_->cluster->size();
}

std::string Group::transport() const {
  return state_->cluster->transport_name();
}

} // namespace grapevine
