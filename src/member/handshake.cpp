#include "member/handshake.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace grapevine::member {
namespace {

constexpr const char* kClosed = "it has closed the link";

} // namespace

std::string format_note(const WorkerNote& note) {
  std::string text;
  for (const auto& [peer, edge] : note.edges) {
    text += fmt::format(
        "{} {} {} {}\n",
        peer,
        edge.life,
        edge.offer,
        edge.dropped ? 1 : 0);
  }
  return text;
}

WorkerNote parse_note(int64_t life, const std::string& text) {
  WorkerNote note;
  note.life = life;
  std::istringstream stream(text);
  int peer = 0;
  EdgeNote edge;
  while (stream >> peer >> edge.life >> edge.offer >> edge.dropped)
    note.edges[peer] = edge;
  return note;
}

Handshake::Handshake(int me, int64_t life, int peer)
    : me_(me),
      life_(life),
      peer_(peer),
      is_lower_(me < peer) {
  GV_CHECK(me != peer);
  if (is_lower_) note_ = {.life = life, .offer = 1};
}

std::string Handshake::link_name() const {
  return fmt::format(
      "edge/{}-{}/{}.{}.{}",
      std::min(me_, peer_),
      std::max(me_, peer_),
      note_.life,
      note_.offer,
      is_lower_ ? peer_life_ : life_);
}

Handshake::Step Handshake::read(const WorkerNote& peer) {
  const auto found = peer.edges.find(me_);
  const EdgeNote none;
  const EdgeNote& note = found == peer.edges.end() ? none : found->second;
  return is_lower_ ? read_as_lower(peer, note) : read_as_higher(peer, note);
}

Handshake::Step Handshake::read_as_lower(
    const WorkerNote& peer,
    const EdgeNote& note) {
  const bool is_of_offer = note.life == life_ && note.offer == note_.offer;
  if (phase_ == Phase::kApart) {
    if (!is_of_offer) return {};
    if (note.dropped) {
      part();
      return {};
    }
    peer_life_ = peer.life;
    phase_ = Phase::kConnecting;
    return {.connect = true};
  }
  if (peer.life != peer_life_) return give_up("a new life of it has come");
  if (is_of_offer && note.dropped) return give_up(kClosed);
  return {};
}

Handshake::Step Handshake::read_as_higher(
    const WorkerNote& peer,
    const EdgeNote& note) {
  if (note.offer == 0) return {};
  const bool is_known = note.life == note_.life && note.offer == note_.offer;
  if (is_known) return {};
  Step step;
  if (phase_ != Phase::kApart) {
    step = give_up(
        peer.life != peer_life_ ? "a new life of it has come" : kClosed);
  }
  if (phase_ != Phase::kApart) return step;
  note_ = {.life = note.life, .offer = note.offer, .dropped = false};
  peer_life_ = peer.life;
  phase_ = Phase::kConnecting;
  step.connect = true;
  return step;
}

Handshake::Step Handshake::give_up(const std::string& why) {
  if (phase_ == Phase::kConnecting) {
    cancelled_ = true;
    return {.cancel = true};
  }
  part();
  return {.close = true, .why = why};
}

void Handshake::part() {
  phase_ = Phase::kApart;
  cancelled_ = false;
  if (is_lower_) {
    ++note_.offer;
  } else {
    note_.dropped = true;
  }
}

bool Handshake::connected() {
  GV_CHECK(phase_ == Phase::kConnecting);
  if (cancelled_) {
    part();
    return false;
  }
  phase_ = Phase::kLinked;
  return true;
}

void Handshake::failed() {
  GV_CHECK(phase_ == Phase::kConnecting);
  part();
}

void Handshake::lost() {
  GV_CHECK(phase_ == Phase::kLinked);
  part();
}

} // namespace grapevine::member
