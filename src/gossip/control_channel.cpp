#include "gossip/control_channel.h"

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

ControlChannel::ControlChannel(member::Edge edge, int size)
    : edge_(edge),
      size_(size),
      incoming_(control_message_bytes(size)) {
  receive_ = edge_.transport->recv(incoming_, edge_.peer, kControlTag);
}

void ControlChannel::send(const ControlMessage& letter) {
  retire();
  Outgoing& out = outgoing_.emplace_back();
  if (!spare_.empty()) {
    out.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  out.bytes.assign(control_message_bytes(size_), std::byte{0});
  out.bytes[0] = std::byte{letter.kind};
  out.bytes[1] = std::byte{letter.is_fresh ? kFresh : uint8_t{0}};
  std::byte* const counts = out.bytes.data() + kHeader;
  const size_t count_bytes = sizeof(int64_t) * size_;
  std::memcpy(counts, letter.news.counts.data(), count_bytes);
  std::memcpy(
      counts + count_bytes,
      letter.news.ages.data(),
      sizeof(double) * size_);
  out.request = edge_.transport->send(out.bytes, edge_.peer, kControlTag);
}

std::optional<ControlMessage> ControlChannel::receive() {
  retire();
  if (is_closed_ || !edge_.transport->test(receive_)) return std::nullopt;
  ControlMessage letter;
  letter.kind = std::to_integer<uint8_t>(incoming_[0]);
  letter.is_fresh = std::to_integer<uint8_t>(incoming_[1]) == kFresh;
  letter.news.counts.resize(size_);
  letter.news.ages.resize(size_);
  const std::byte* const counts = incoming_.data() + kHeader;
  const size_t count_bytes = sizeof(int64_t) * size_;
  std::memcpy(letter.news.counts.data(), counts, count_bytes);
  std::memcpy(
      letter.news.ages.data(),
      counts + count_bytes,
      sizeof(double) * size_);
  is_closed_ = letter.kind == ControlMessage::kBye;
  if (!is_closed_) {
    receive_ = edge_.transport->recv(incoming_, edge_.peer, kControlTag);
  }
  return letter;
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
