// One worker's voice: everything that is said to the other workers of a run
// goes through here, composed of the transport's send and recv.
//
// Every wait has the deadline of the options. The first error wins and stays:
// later calls throw it again. Errors keep their type (TimeoutError,
// TransportError), name the peer, the operation and the step, and carry the
// last operations from the flight recorder.
//
// One thread at a time. mix, run and exchange allocate nothing once a plan has
// been seen with a plane of that size and cut (the last kRememberedPlans are
// remembered).
#pragma once

#include "mix/chunks.h"
#include "mix/exchange.h"
#include "mix/flight_recorder.h"
#include "mix/near_exchange.h"
#include "mix/plan.h"
#include "mix/traffic.h"
#include "net/transport.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

struct CommunicatorOptions {
  // How long any single wait may take.
  std::chrono::duration<double> deadline{300};
  // Planes travel in pieces of this size, so that computing a piece overlaps
  // with moving the ones before it. Changes times, never results.
  // A plan may want other chunks (Plan::chunk_bytes). Less than 4096 is taken
  // for 4096.
  int64_t chunk_bytes = 1 << 20;
  // Of this machine, for all of its workers; 0 = as many as there are.
  int cores = 0;
};

class Communicator {
 public:
  Communicator(
      std::unique_ptr<net::Transport> transport,
      CommunicatorOptions options);
  ~Communicator();

  int rank() const;
  int size() const;
  const net::Transport& transport() const;

  // Runs the plan over a plane, which is replaced by the result. `plan` must
  // be the same on all workers.
  void mix(const Plan& plan, std::span<float> plane);

  // Runs an exchange to its end, at the pace at which its owner releases it
  // from another thread. What goes wrong is told to the exchange, not thrown.
  // Out of place, its terms stay valid until the chunk is written again: by
  // the next exchange but one, or by the next once that chunk is released.
  void run(Exchange& exchange);
  // Opens an exchange that the caller is to move by its own hand, and which
  // stays here until the next but one is opened. Null, and nothing has
  // happened, where a thread that talks is to run it: it has a peer that is not
  // near (nobody is known to be before the first run), or there are cores for
  // such threads. Before one in place is opened, those before it are finished.
  NearExchange* open_near(const ExchangeSpec& request);
  // That the caller has spent on those.
  double near_seconds() const;

  // Sends to a peer and receives from it at once, both ways in large pieces.
  // The lengths may differ from each other, but what one sends
  // the other expects. No arithmetic: an exchange of planes.
  void exchange(
      int peer,
      std::span<const float> outgoing,
      std::span<float> incoming);

  // The mean over all workers, in rank order; the same bits everywhere.
  void all_reduce_mean(std::span<float> values);

  // The sums of a few numbers over all workers, on all of them; the same bits
  // everywhere (mix/collectives.h says in which order). Counts as traffic.
  void sum(std::span<double> values);

  // Small and not on the step path: every worker's bytes on all workers /
  // on root (elsewhere empty), in rank order. Lengths may differ.
  std::vector<std::string> all_gather(const std::string& mine);
  std::vector<std::string> gather(const std::string& mine, int root);
  std::vector<std::vector<double>> gather(
      std::span<const double> mine,
      int root);
  void broadcast(std::span<std::byte> bytes, int root);
  std::string broadcast(std::string text, int root);
  // True on all workers if it was true on any.
  bool any(bool mine);
  void barrier();

  // For error messages and the flight recorder.
  void set_step(int64_t step);
  // Sent by mix, all_reduce_mean, exchange, sum and run. Barriers, gathers and
  // the like are not counted.
  const Traffic& traffic() const;
  // From any thread: the wait at hand, if any, and all that come later throw.
  void interrupt();
  const FlightRecorder& flight_recorder() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine::mix
