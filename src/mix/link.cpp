#include "mix/link.h"

#include "base/check.h"

#include <utility>

namespace grapevine::mix {

Link::Link(
    std::unique_ptr<net::Transport> transport,
    std::chrono::duration<double> deadline)
    : transport_(std::move(transport)),
      rank_(transport_->rank()),
      size_(transport_->size()),
      transport_name_(transport_->name()),
      deadline_(deadline) {}

void Link::close() {
  if (!error_) {
    error_ = std::make_exception_ptr(TransportError("the link was closed"));
  }
  transport_.reset();
}

template <typename Post>
Ticket Link::post(int peer, int64_t bytes, bool is_send, const Post& post) {
  const char* direction = is_send ? "send" : "recv";
  Ticket ticket{
      .flight = recorder_.post(step_, operation_, direction, peer, bytes),
      .bytes = bytes,
      .peer = peer,
      .is_send = is_send};
  try {
    ticket.request = post();
  } catch (const TransportError& error) {
    recorder_.finish(ticket.flight, Flight::State::kFailed);
    throw TransportError(describe_failure(ticket, 0, error.what()));
  }
  ++in_flight_;
  return ticket;
}

Ticket Link::send(std::span<const std::byte> bytes, int peer, net::Tag tag) {
  return post(peer, static_cast<int64_t>(bytes.size()), true, [&] {
    return transport_->send(bytes, peer, tag);
  });
}

Ticket Link::recv(std::span<std::byte> bytes, int peer, net::Tag tag) {
  return post(peer, static_cast<int64_t>(bytes.size()), false, [&] {
    return transport_->recv(bytes, peer, tag);
  });
}

void Link::wait(Ticket& ticket) {
  if (!ticket.valid()) return;
  --in_flight_;
  const auto request = std::exchange(ticket.request, {});
  finish(ticket, [&](Deadline deadline) {
    transport_->wait(request, deadline);
  });
}

std::string Link::describe_failure(
    const Ticket& ticket,
    double seconds,
    const char* reason) const {
  return fmt::format(
      "[{}] step {}: waited {:.1f} s for worker {} ({}, {} bytes): {}\n"
      "last operations of worker {}:\n{}",
      operation_,
      step_,
      seconds,
      ticket.peer,
      ticket.is_send ? "send" : "recv",
      ticket.bytes,
      reason,
      rank(),
      recorder_.describe());
}

} // namespace grapevine::mix
