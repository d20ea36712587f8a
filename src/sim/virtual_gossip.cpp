#include "sim/virtual_gossip.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace grapevine::sim {

bool VirtualGossip::Later::operator()(const Event& a, const Event& b) const {
  return std::pair(a.when, a.number) > std::pair(b.when, b.number);
}

VirtualGossip::VirtualGossip(
    VirtualGossipOptions options,
    const std::vector<gossip::Replica*>& replicas,
    const algo::LocalRule& rule,
    VirtualGossipHost& host)
    : options_(std::move(options)),
      rule_(rule),
      host_(host),
      moving_(options_.times.way_rates) {
  GV_CHECK_EQ(replicas.size(), options_.neighbours.size());
  for (size_t i = 0; i < replicas.size(); ++i) {
    members_.push_back(
        {.replica = replicas[i],
         .pairing = gossip::Pairing(
             static_cast<int>(i),
             options_.neighbours[i],
             options_.seed)});
  }
}

std::span<float> VirtualGossip::sent(int worker) {
  Member& member = members_[worker];
  if (!member.has_read) return {};
  return member.sent;
}

void VirtualGossip::push(double seconds, Event event) {
  event.when = now_ + seconds;
  event.number = made_++;
  events_.push(event);
}

void VirtualGossip::end_transfers() {
  while (!moving_.is_empty() &&
         (events_.empty() || moving_.next_end() <= events_.top().when)) {
    now_ = moving_.next_end();
    const int a = moving_.end_next();
    arrive(a, *members_[a].pairing.partner());
  }
}

bool VirtualGossip::advance() {
  if (made_ == 0) {
    for (size_t i = 0; i < members_.size(); ++i)
      begin_gradient(static_cast<int>(i));
  }
  end_transfers();
  if (events_.empty()) return false;
  const Event event = events_.top();
  events_.pop();
  now_ = event.when;
  switch (event.kind) {
    case Kind::kGradient:
      end_gradient(event.worker);
      break;
    case Kind::kWord:
      members_[event.worker].pairing.hear(event.peer, event.word, say_);
      after(event.worker);
      break;
    case Kind::kTransfer:
      end_pair(event.worker, event.peer);
      break;
  }
  return true;
}

void VirtualGossip::change_graph(
    const std::vector<std::vector<int>>& neighbours) {
  for (size_t i = 0; i < members_.size(); ++i) {
    members_[i].pairing.ask_only(neighbours[i], say_);
    after(static_cast<int>(i));
  }
}

void VirtualGossip::begin_gradient(int worker) {
  if (started_ == options_.total_gradients) return;
  ++started_;
  Member& member = members_[worker];
  member.computes = true;
  member.computes_since = now_;
  const int64_t gradient = member.next_gradient++;
  push(
      options_.times.gradient(worker, gradient),
      {.kind = Kind::kGradient, .worker = worker});
  host_.begin_gradient(worker, gradient);
}

void VirtualGossip::end_gradient(int worker) {
  Member& member = members_[worker];
  const int64_t gradient = member.next_gradient - 1;
  const algo::StepInfo info = host_.finish_gradient(worker, gradient, done_);
  member.computes = false;
  member.clock.gradient_done(now_, now_ - member.computes_since);
  member.replica->move(rule_, info, member.clock.at(now_));
  ++member.statistics.gradients;
  ++done_;
  host_.gradient_done(worker, gradient, done_);
  if (done_ == options_.total_gradients) {
    for (size_t i = 0; i < members_.size(); ++i) {
      members_[i].pairing.stop(say_);
      after(static_cast<int>(i));
    }
    return;
  }
  // A worker without neighbours wants nothing.
  const int64_t more = options_.neighbours[worker].empty()
                           ? 0
                           : gossip::allowance(
                                 options_.averagings,
                                 options_.rate,
                                 options_.seed,
                                 worker,
                                 gradient);
  if (member.pairing.wanted() == 0) member.wants_since = now_;
  member.is_held = true; // unless it need not be
  member.held_since = now_;
  member.pairing.want(more, say_);
  after(worker);
}

void VirtualGossip::after(int worker) {
  Member& member = members_[worker];
  const std::vector<gossip::PairingMessage> said = std::exchange(say_, {});
  if (member.pairing.partner() && !member.has_read) begin_pair(worker);
  for (const gossip::PairingMessage& message : said) {
    ++words_;
    push(
        options_.times.word(worker, message.peer),
        {.kind = Kind::kWord,
         .worker = message.peer,
         .peer = worker,
         .word = message.word});
  }
  if (member.is_held) stop_waiting(worker);
}

void VirtualGossip::stop_waiting(int worker) {
  Member& member = members_[worker];
  const int64_t lag =
      member.pairing.wanted() + (member.pairing.partner() ? 1 : 0);
  if (options_.max_lag >= 0 && lag > options_.max_lag &&
      done_ < options_.total_gradients) {
    return;
  }
  member.is_held = false;
  member.statistics.held_seconds += now_ - member.held_since;
  begin_gradient(worker);
}

void VirtualGossip::begin_pair(int worker) {
  Member& member = members_[worker];
  member.statistics.add_wait(now_ - member.wants_since);
  member.wants_since = now_;
  member.has_read = true;
  member.paired_since = now_;
  member.gradients_at_read = member.statistics.gradients;
  member.sent.resize(member.replica->x().size());
  member.replica->copy_to(member.clock.at(now_), member.sent);
  ++transfers_;
  const int peer = *member.pairing.partner();
  const Member& other = members_[peer];
  if (!other.has_read || other.pairing.partner() != worker) return;
  const auto [a, b] = std::minmax(worker, peer);
  const VirtualTimes& times = options_.times;
  if (times.ways == nullptr) {
    arrive(a, b);
  } else {
    moving_.begin(a, times.replica_bytes, times.ways(a, b), now_);
  }
}

void VirtualGossip::arrive(int a, int b) {
  push(
      options_.times.transfer(a, b),
      {.kind = Kind::kTransfer, .worker = a, .peer = b});
}

void VirtualGossip::end_pair(int a, int b) {
  const Sum before = options_.check ? sum_of_pair(a, b) : Sum();
  pull(a, b);
  pull(b, a);
  if (options_.check) check_kept(a, b, before);
  host_.pair_done(
      a,
      b,
      std::max(members_[a].paired_since, members_[b].paired_since));
  for (const int worker : {a, b}) {
    Member& member = members_[worker];
    member.has_read = false;
    member.statistics.add_averaging(
        a + b - worker,
        member.statistics.gradients - member.gradients_at_read,
        now_ - member.paired_since);
    member.wants_since = now_;
    member.pairing.finish(say_);
    after(worker);
  }
}

void VirtualGossip::pull(int worker, int peer) {
  Member& member = members_[worker];
  const std::span<const float> mine = member.sent;
  const std::span<const float> theirs = members_[peer].sent;
  gossip::Replica& replica = *member.replica;
  for (int p = 0; p < replica.pieces(); ++p) {
    const auto [begin, end] = replica.range(p);
    replica.pull(
        p,
        member.clock.at(now_),
        mine.subspan(begin, end - begin),
        theirs.subspan(begin, end - begin));
  }
}

VirtualGossip::Sum VirtualGossip::sum_of_pair(int a, int b) const {
  Sum sum;
  for (const int worker : {a, b}) {
    gossip::Replica& replica = *members_[worker].replica;
    for (const std::span<const float> plane : {replica.x(), replica.y()}) {
      for (const double value : plane) {
        sum.value += value;
        sum.magnitude += std::abs(value);
      }
    }
  }
  return sum;
}

void VirtualGossip::check_kept(int a, int b, const Sum& before) const {
  // Flow and pull round each element a few times at 2^-24.
  constexpr double kTolerance = 1e-5;
  // Once a run has diverged so far, the next sum may overflow.
  constexpr double kDiverged = 1e30;
  if (!(before.magnitude < kDiverged)) return;
  const double change = sum_of_pair(a, b).value - before.value;
  if (std::abs(change) <= kTolerance * before.magnitude) return;
  throw Error(fmt::format(
      "check failed after {} gradients: the averaging of workers {} and {} "
      "moved the sum of their replicas by {:g} (allowed {:g})",
      done_,
      a,
      b,
      change,
      kTolerance * before.magnitude));
}

} // namespace grapevine::sim
