#include "mix/mix_executor.h"

#include "base/check.h"
#include "tensor/kernels/mix_terms.h"

#include <algorithm>
#include <map>

namespace grapevine::mix {

namespace {

// Entries of a ring beyond those alive, so that a send has a little more time
// before its place is needed.
constexpr int kSpareEntries = 1;

// The slot whose memory a slot shares: the result lies over the value.
int memory_of(int slot) {
  return slot == kResult ? kValue : slot;
}

} // namespace

MixExecutor::MixExecutor(const Plan& plan, int rank, std::vector<Range> chunks)
    : chunks_(std::move(chunks)) {
  const Program program = plan.program(rank);
  completion_round_ = std::max(completion_round(program), 0);
  rounds_ = std::max(program.rounds(), completion_round_ + 1);
  slots_.resize(program.slots);
  add_transfers(program);
  add_sums(program);
  check_rules();
  find_sends_before();
  lay_out_slots();
}

void MixExecutor::note(int slot, Piece piece) {
  Slot& known = slots_.at(slot);
  if (known.of == 0) {
    known.first = known.last = piece.index;
    known.of = piece.of;
  } else if (known.of != piece.of) {
    known.first = known.last = 0;
    known.of = 1;
  } else {
    known.first = std::min(known.first, piece.index);
    known.last = std::max(known.last, piece.index);
  }
}

void MixExecutor::add_transfers(const Program& program) {
  std::map<int, int> sent_to;
  std::map<int, int> received_from;
  const auto add = [&](auto& list, const auto& item, int ordinal) {
    const net::Tag tag = kFirstMixTag + ordinal;
    GV_CHECK_LE(tag, kLastMixTag);
    list.push_back(
        {.round = item.round,
         .peer = item.peer,
         .slot = item.slot,
         .piece = item.piece,
         .tag = tag,
         .posting_round = item.round,
         .sends_before = {},
         .tickets = std::vector<Ticket>(chunks_.size())});
    note(item.slot, item.piece);
    Slot& slot = slots_[item.slot];
    slot.last_use = std::max(slot.last_use, item.round);
  };
  for (const Send& send : program.sends) {
    add(sends_, send, sent_to[send.peer]++);
    sends_.back().posting_round = posting_round(program, send);
    int64_t floats = 0;
    for (const Range& chunk : chunks_) {
      floats += piece_of(chunk, send.piece).size();
    }
    traffic_.bytes += floats * static_cast<int64_t>(sizeof(float));
    if (floats > 0) ++traffic_.messages;
  }
  for (const Receive& receive : program.receives) {
    add(receives_, receive, received_from[receive.peer]++);
    slots_[receive.slot].received = true;
    slots_[receive.slot].first_write = receive.round;
    changes_value_ = changes_value_ || receive.slot == kResult;
  }
}

void MixExecutor::add_sums(const Program& program) {
  size_t most_terms = 0;
  for (const Combine& combine : program.combines) {
    sums_.push_back({combine, {}});
    note(combine.dst, combine.piece);
    Slot& dst = slots_[combine.dst];
    dst.first_write = combine.round;
    dst.last_use = std::max(dst.last_use, combine.round);
    for (const int term : combine.terms) {
      note(term, combine.piece);
      slots_[term].last_use = std::max(slots_[term].last_use, combine.round);
    }
    changes_value_ = changes_value_ || combine.dst == kResult;
    most_terms = std::max(most_terms, combine.terms.size());
  }
  terms_.resize(most_terms);
}

// The rules of mix/program.h that the pipeline rests on.
void MixExecutor::check_rules() const {
  for (const Transfer& send : sends_) {
    GV_CHECK(send.round > 0 || send.slot == kValue);
  }
  for (const Transfer& receive : receives_) {
    if (receive.slot != kResult) continue;
    const int latest = receive.round - kPostAhead - 1;
    for (const Transfer& send : sends_) {
      if (send.slot != kValue || !overlap(send.piece, receive.piece)) continue;
      GV_CHECK_LE(send.round, latest);
    }
    for (const Sum& sum : sums_) {
      if (!overlap(sum.what.piece, receive.piece)) continue;
      const auto& terms = sum.what.terms;
      if (std::ranges::find(terms, kValue) == terms.end()) continue;
      GV_CHECK_LE(sum.what.round, latest);
    }
  }
  for (const Sum& sum : sums_) {
    if (sum.what.dst != kResult) continue;
    for (const Transfer& send : sends_) {
      if (send.slot != kValue || !overlap(send.piece, sum.what.piece)) continue;
      GV_CHECK_LE(send.round, sum.what.round);
    }
  }
}

std::vector<int> MixExecutor::sends_reading(int slot, Piece piece) const {
  std::vector<int> found;
  for (size_t i = 0; i < sends_.size(); ++i) {
    const Transfer& send = sends_[i];
    // The result is written once: only what was there before is in danger.
    const bool reads = send.slot == memory_of(slot);
    if (reads && overlap(send.piece, piece)) {
      found.push_back(static_cast<int>(i));
    }
  }
  return found;
}

void MixExecutor::find_sends_before() {
  for (Transfer& receive : receives_) {
    receive.sends_before = sends_reading(receive.slot, receive.piece);
  }
  for (Sum& sum : sums_) {
    sum.sends_before = sends_reading(sum.what.dst, sum.what.piece);
  }
}

void MixExecutor::lay_out_slots() {
  int64_t longest = 0;
  for (const Range& chunk : chunks_)
    longest = std::max(longest, chunk.size());
  for (size_t s = 2; s < slots_.size(); ++s) {
    Slot& slot = slots_[s];
    if (slot.of == 0) continue;
    const int alive = slot.last_use - slot.first_write + 1 + kSpareEntries +
                      (slot.received ? kPostAhead : 0);
    slot.entries = std::min<int64_t>(alive, chunks());
    // The pieces of a shorter chunk are no longer than those of a long one,
    // but one of them may begin a little later in proportion.
    slot.entry = 0;
    for (int p = slot.first; p <= slot.last; ++p) {
      slot.entry += (longest + slot.of - 1) / slot.of;
    }
    slot.entry = (slot.entry + 15) / 16 * 16;
    slot.offset = scratch_floats_;
    scratch_floats_ += slot.entry * slot.entries;
  }
}

std::span<float> MixExecutor::address(int slot, Piece piece, int64_t c) const {
  const Range range = piece_of(chunks_[c], piece);
  const auto size = static_cast<size_t>(range.size());
  if (slot == kValue) return {value_ + range.begin, size};
  if (slot == kResult) return {result_ + range.begin, size};
  const Slot& at = slots_[slot];
  const int64_t first = piece_of(chunks_[c], {at.first, at.of}).begin;
  float* entry = scratch_ + at.offset + c % at.entries * at.entry;
  return {entry + (range.begin - first), size};
}

void MixExecutor::run(
    Link& link,
    float* value,
    float* result,
    float* scratch,
    ChunkEvents& events) {
  value_ = value;
  result_ = result;
  scratch_ = scratch;
  const int64_t end = rounds_ - 1 + chunks();
  for (int64_t time = -kPostAhead; time < end; ++time) {
    post_receives(link, time);
    post_sends(link, time, events);
    finish_receives(link, time);
    combine(link, time);
    complete_chunk(link, time, events);
  }
  for (Transfer& send : sends_) {
    for (Ticket& ticket : send.tickets)
      link.wait(ticket);
  }
}

void MixExecutor::wait_for_sends(
    Link& link,
    const std::vector<int>& sends,
    int slot,
    int64_t c) {
  const int64_t before = slot < 2 ? c : c - slots_[slot].entries;
  if (before < 0) return;
  for (const int send : sends)
    link.wait(sends_[send].tickets[before]);
}

void MixExecutor::post_receives(Link& link, int64_t time) {
  for (Transfer& receive : receives_) {
    const int64_t c = time + kPostAhead - receive.round;
    if (!in_range(c)) continue;
    const auto into = address(receive.slot, receive.piece, c);
    if (into.empty()) continue;
    wait_for_sends(link, receive.sends_before, receive.slot, c);
    receive.tickets[c] =
        link.recv(std::as_writable_bytes(into), receive.peer, receive.tag);
  }
}

void MixExecutor::post_send(Link& link, Transfer& send, int64_t c) {
  const auto from = address(send.slot, send.piece, c);
  if (from.empty()) return;
  send.tickets[c] = link.send(std::as_bytes(from), send.peer, send.tag);
}

void MixExecutor::post_sends(Link& link, int64_t time, ChunkEvents& events) {
  for (Transfer& send : sends_) {
    const int64_t c = time - send.posting_round;
    if (send.round > 0 && in_range(c)) post_send(link, send, c);
  }
  // Last, since it may have to wait for the owner.
  const int64_t next = time + kPostAhead;
  if (!in_range(next)) return;
  events.before(next);
  for (Transfer& send : sends_) {
    if (send.round == 0) post_send(link, send, next);
  }
}

void MixExecutor::finish_receives(Link& link, int64_t time) {
  for (Transfer& receive : receives_) {
    const int64_t c = time - receive.round;
    if (in_range(c)) link.wait(receive.tickets[c]);
  }
}

void MixExecutor::combine(Link& link, int64_t time) {
  for (const Sum& sum : sums_) {
    const Combine& what = sum.what;
    const int64_t c = time - what.round;
    if (!in_range(c)) continue;
    const auto dst = address(what.dst, what.piece, c);
    if (dst.empty()) continue;
    wait_for_sends(link, sum.sends_before, what.dst, c);
    for (size_t k = 0; k < what.terms.size(); ++k) {
      terms_[k] = address(what.terms[k], what.piece, c).data();
    }
    tensor::mixed_value(
        dst.data(),
        {.terms = {terms_.data(), what.terms.size()},
         .weights = what.weights,
         .scale = what.scale},
        0,
        static_cast<int64_t>(dst.size()));
  }
}

void MixExecutor::complete_chunk(
    Link& link,
    int64_t time,
    ChunkEvents& events) {
  const int64_t c = time - completion_round_;
  if (!in_range(c)) return;
  // Whoever takes the chunk may write where these still read.
  for (Transfer& send : sends_) {
    if (send.slot < 2) link.wait(send.tickets[c]);
  }
  events.after(c);
}

} // namespace grapevine::mix
