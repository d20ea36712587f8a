// The transport as the communicator sees it: deadlines, the flight recorder
// and named errors added to send, recv and wait.
//
// The first error stays: from then on everything throws it again.
#pragma once

#include "base/deadline.h"
#include "mix/flight_recorder.h"
#include "net/transport.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace grapevine::mix {

// Which tags are used for what, so that no two kinds of message can meet. The
// j-th transfer of a program between two workers has tag kFirstMixTag + j.
inline constexpr net::Tag kFirstMixTag = 0;
inline constexpr net::Tag kLastMixTag = 999;
inline constexpr net::Tag kExchangeTag = 1000;
inline constexpr net::Tag kAnyTag = 1001;
inline constexpr net::Tag kBroadcastTag = 1002;
inline constexpr net::Tag kLengthTag = 1003;
inline constexpr net::Tag kGatherTag = 1004;
inline constexpr net::Tag kSumTag = 1005;

// What a worker has sent. Payload; a message is one logical transfer, however
// it was cut (one with nothing in it is none).
struct Traffic {
  int64_t messages = 0;
  int64_t bytes = 0;

  Traffic& operator+=(const Traffic& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
};

// An operation in flight. Spent, and no longer valid, after wait.
struct Ticket {
  net::Request request = {};
  int64_t flight = -1;
  int64_t bytes = 0;
  int peer = -1;
  bool is_send = false;
  bool valid() const { return request.valid(); }
};

struct PeerWait {
  int peer = -1;
  double seconds = 0;
};

class Link {
 public:
  Link(
      std::unique_ptr<net::Transport> transport,
      std::chrono::duration<double> deadline);

  int rank() const { return rank_; }
  int size() const { return size_; }
  const net::Transport& transport() const { return *transport_; }
  const std::string& transport_name() const { return transport_name_; }
  const FlightRecorder& recorder() const { return recorder_; }
  void set_step(int64_t step) { step_ = step; }

  // Runs body() under a name (a literal) that errors and the recorder show.
  // Throws the first error again if there was one; remembers one of body's.
  template <typename Body>
  auto run(const char* operation, Body body) {
    if (error_) std::rethrow_exception(error_);
    const Name name{operation_, std::exchange(operation_, operation)};
    try {
      return body();
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

  // Inside run only. The bytes stay where they are until wait has returned.
  Ticket send(std::span<const std::byte> bytes, int peer, net::Tag tag);
  Ticket recv(std::span<std::byte> bytes, int peer, net::Tag tag);
  // Waits at most the deadline; a ticket that is not valid is done already.
  void wait(Ticket& ticket);
  // The same for something that a peer does outside of the transport: until
  // turn() says that it is done. turn sleeps a little where it is not, and
  // throws TransportError where it never will be.
  template <typename Turn>
  void await(int peer, int64_t bytes, bool is_send, const Turn& turn) {
    const char* direction = is_send ? "send" : "recv";
    const Ticket ticket{
        .flight = recorder_.post(step_, operation_, direction, peer, bytes),
        .bytes = bytes,
        .peer = peer,
        .is_send = is_send};
    finish(ticket, [&](Deadline deadline) {
      while (!turn()) {
        if (interrupted_) throw TransportError("interrupted");
        if (deadline.passed()) throw TimeoutError("timed out");
      }
    });
  }

  // The longest wait since this was last asked; of nobody where there was none.
  PeerWait take_longest_wait() { return std::exchange(longest_wait_, {}); }
  // All waits together, since this was last asked.
  double take_waited_seconds() { return std::exchange(waited_seconds_, 0); }
  // Keeps what is in flight moving where the transport wants to be called for
  // that (Transport::progress).
  bool progress() { return in_flight_ > 0 && transport_->progress(); }
  // Ends the transport, so that nothing reads or writes the bytes of what was
  // not waited for. Everything later throws. Not while another thread is here.
  void close();
  // From any thread (Transport::interrupt).
  void interrupt() {
    interrupted_ = true;
    transport_->interrupt();
  }

 private:
  // Of the operation that runs, until it is left.
  struct Name {
    const char*& now;
    const char* before;
    ~Name() { now = before; }
  };

  template <typename Post>
  Ticket post(int peer, int64_t bytes, bool is_send, const Post& post);
  // Runs wait(deadline), with all that belongs to a wait.
  template <typename Wait>
  void finish(const Ticket& ticket, const Wait& wait);
  std::string describe_failure(
      const Ticket& ticket,
      double seconds,
      const char* reason) const;

  std::unique_ptr<net::Transport> transport_;
  int rank_;
  int size_;
  std::string transport_name_;
  std::chrono::duration<double> deadline_;
  FlightRecorder recorder_;
  const char* operation_ = "";
  int64_t step_ = -1;
  std::exception_ptr error_;
  int64_t in_flight_ = 0; // posted and not waited for
  PeerWait longest_wait_;
  double waited_seconds_ = 0;
  std::atomic<bool> interrupted_ = false;
};

template <typename Wait>
void Link::finish(const Ticket& ticket, const Wait& wait) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - begin).count();
  };
  try {
    wait(Deadline::after(deadline_));
  } catch (const TimeoutError& error) {
    recorder_.finish(ticket.flight, Flight::State::kFailed);
    throw TimeoutError(describe_failure(ticket, seconds(), error.what()));
  } catch (const TransportError& error) {
    recorder_.finish(ticket.flight, Flight::State::kFailed);
    throw TransportError(describe_failure(ticket, seconds(), error.what()));
  }
  recorder_.finish(ticket.flight, Flight::State::kDone);
  const double waited = seconds();
  waited_seconds_ += waited;
  if (waited > longest_wait_.seconds) longest_wait_ = {ticket.peer, waited};
}

} // namespace grapevine::mix
