// One rank of the process tests:
//   transport_worker sweep                 everything in exercise.h
//   transport_worker ring VICTIM SIGNAL    exchanges without end; after some
//                                          the victim sends itself the signal
//   transport_worker meet                  only meets the others
//   transport_worker twice                 meets them twice more, in groups of
//                                          their own
//   transport_worker edges                 see edge_worker.h; all are
//                                          neighbours
// with a DEADLINE in seconds from the environment, which is for what the tests
// want to fail: the meeting of `meet`, and a ring with the victim. Leaves
// rank.pid and, after an error, rank.error in the directory OUT. Exits with 3
// after a time-out, 4 after another transport error, 5 after a wrong result.
#include "net/exercise.h"
#include "net/process/edge_worker.h"
#include "net/transports.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

namespace grapevine::net {
namespace {

std::string variable(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value == nullptr ? fallback : value;
}

std::chrono::duration<double> deadline_option() {
  return std::chrono::duration<double>(std::stod(variable("DEADLINE", "60")));
}

void leave_note(int rank, const char* ending, const std::string& text) {
  std::ofstream(
      variable("OUT", ".") + "/" + std::to_string(rank) + "." + ending)
      << text << std::flush;
}

// For what is to succeed, on a busy machine, too.
constexpr std::chrono::seconds kPatience{60};

bool packs() {
  return variable("PACK", "0") == "1";
}

std::unique_ptr<Transport> make_transport(
    const LaunchEnvironment& found,
    const std::string& verb) {
  const auto deadline = verb == "meet" ? deadline_option() : kPatience;
  return net::make_transport(
      found.transport,
      found,
      {.deadline = deadline, .packs = packs()});
}

void ring_without_end(Transport& transport, int victim, int signal) {
  const int n = transport.size();
  const int next = (transport.rank() + 1) % n;
  const int previous = (transport.rank() + n - 1) % n;
  testing::Bytes out(100000);
  testing::Bytes in(100000);
  constexpr int kTogether = 10; // steps
  for (int step = 0;; ++step) {
    if (step == kTogether && transport.rank() == victim) raise(signal);
    const auto deadline =
        Deadline::after(step < kTogether ? kPatience : deadline_option());
    const auto received = transport.recv(in, previous, 0);
    const auto sent = transport.send(out, next, 0);
    transport.wait(received, deadline);
    transport.wait(sent, deadline);
  }
}

void work(
    const LaunchEnvironment& found,
    Transport& transport,
    char** arguments) {
  const std::string verb = arguments[1];
  if (verb == "twice") {
    const auto second = make_transport(found, verb);
    make_transport(found, verb); // and is gone again
    const auto fourth = make_transport(found, verb);
    for (Transport* each : {&transport, second.get(), fourth.get()})
      testing::pass_around(*each);
  }
  if (verb == "sweep") {
    testing::Exercise exercise(transport);
    if (packs()) {
      exercise.run(std::array<size_t, 3>{1000, 1 << 18, (1 << 22) + 400});
    } else {
      exercise.run();
      exercise.run_at_most();
    }
  }
  if (verb == "ring") {
    ring_without_end(
        transport,
        std::stoi(arguments[2]),
        std::stoi(arguments[3]));
  }
}

void work_with_edges(const LaunchEnvironment& found) {
  std::vector<int> others;
  for (int rank = 0; rank < found.size; ++rank) {
    if (rank != found.rank) others.push_back(rank);
  }
  const auto edges = member::make_edges(
      "gloo",
      found,
      others,
      {.deadline = deadline_option()});
  testing::EdgeWorker(*edges, others, variable("OUT", "."), deadline_option())
      .run();
}

int run(char** arguments) {
  const auto found = read_launch_environment();
  leave_note(found.rank, "pid", std::to_string(getpid()));
  try {
    if (std::string(arguments[1]) == "edges") {
      work_with_edges(found);
      return 0;
    }
    const auto transport = make_transport(found, arguments[1]);
    work(found, *transport, arguments);
    return 0;
  } catch (const TimeoutError& error) {
    leave_note(found.rank, "error", error.what());
    return 3;
  } catch (const TransportError& error) {
    leave_note(found.rank, "error", error.what());
    return 4;
  } catch (const std::exception& error) {
    leave_note(found.rank, "error", error.what());
    return 5;
  }
}

} // namespace
} // namespace grapevine::net

int main(int, char** arguments) {
  const int code = grapevine::net::run(arguments);
  if (code != 0) grapevine::net::abandon_mpi(code);
  std::_Exit(code); // as the program does
}
