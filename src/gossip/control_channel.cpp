#include "gossip/control_channel.h"

#include "base/error.h"
#include "gossip/pairing.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace grapevine::gossip {
namespace {

constexpr size_t kHeader = 8;
constexpr uint8_t kFresh = 1;

} // namespace

int64_t control_message_bytes(int size) {
  return static_cast<int64_t>(
      kHeader + (sizeof(int64_t) + sizeof(double)) * size);
}

ControlChannel::ControlChannel(
    member::Edge edge,
    int size,
    int64_t most_gradients)
    : edge_(edge),
      size_(size),
      most_gradients_(most_gradients),
      incoming_(control_message_bytes(size)) {
  receive_ = edge_.transport->recv(incoming_, edge_.peer, kControlTag);
}

void ControlChannel::send(const ControlMessage& message) {
  retire();
  Outgoing& out = outgoing_.emplace_back();
  if (!spare_.empty()) {
    out.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  out.bytes.assign(control_message_bytes(size_), std::byte{0});
  out.bytes[0] = std::byte{message.kind};
  out.bytes[1] = std::byte{message.is_fresh ? kFresh : uint8_t{0}};
  std::byte* const counts = out.bytes.data() + kHeader;
  const size_t count_bytes = sizeof(int64_t) * size_;
  std::memcpy(counts, message.news.counts.data(), count_bytes);
  std::memcpy(
      counts + count_bytes,
      message.news.ages.data(),
      sizeof(double) * size_);
  out.request = edge_.transport->send(out.bytes, edge_.peer, kControlTag);
}

std::optional<ControlMessage> ControlChannel::receive() {
  retire();
  if (is_closed_ || !edge_.transport->test(receive_)) return std::nullopt;
  ControlMessage message;
  message.kind = std::to_integer<uint8_t>(incoming_[0]);
  message.is_fresh = std::to_integer<uint8_t>(incoming_[1]) == kFresh;
  message.news.counts.resize(size_);
  message.news.ages.resize(size_);
  const std::byte* const counts = incoming_.data() + kHeader;
  const size_t count_bytes = sizeof(int64_t) * size_;
  std::memcpy(message.news.counts.data(), counts, count_bytes);
  std::memcpy(
      message.news.ages.data(),
      counts + count_bytes,
      sizeof(double) * size_);
  check(message);
  is_closed_ = message.kind == ControlMessage::kBye;
  if (!is_closed_) {
    receive_ = edge_.transport->recv(incoming_, edge_.peer, kControlTag);
  }
  return message;
}

void ControlChannel::check(const ControlMessage& message) const {
  const bool is_known =
      message.kind >= ControlMessage::kNews
          ? message.kind <= ControlMessage::kBye
          : message.kind >= 1 && message.kind <= kPairingKinds;
  const bool has_counts = std::ranges::all_of(message.news.counts, [&](auto n) {
    return n >= 0 && n <= most_gradients_;
  });
  const bool has_ages = std::ranges::all_of(message.news.ages, [](double age) {
    return std::isfinite(age);
  });
  if (is_known && has_counts && has_ages) return;
  throw TransportError("it has sent a message that no worker sends");
}

bool ControlChannel::is_empty() {
  retire();
  return outgoing_.empty();
}

void ControlChannel::retire() {
  while (!outgoing_.empty() &&
         edge_.transport->test(outgoing_.front().request)) {
    spare_.push_back(std::move(outgoing_.front().bytes));
    outgoing_.pop_front();
  }
}

} // namespace grapevine::gossip
