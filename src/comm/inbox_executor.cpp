#include "comm/inbox_executor.h"

#include "base/check.h"
#include "comm/tags.h"

#include <algorithm>

namespace grapevine::comm {
namespace {

// Chunks in flight at once: enough to keep both ways of a link busy.
constexpr int64_t kWindow = 4;

bool is_whole(const auto& transfer) {
  return transfer.round == 0 && transfer.piece == Piece{};
}

} // namespace

bool InboxExecutor::fits(const Program& program) {
  if (program.combines.size() != 1) return false;
  const Combine& sum = program.combines[0];
  const auto is_value = [](const Send& send) {
    return is_whole(send) && send.slot == kValue;
  };
  return is_whole(sum) && sum.dst == kResult &&
         program.receives.size() <= size_t{kMostInboxes} &&
         std::ranges::all_of(program.sends, is_value) &&
         std::ranges::all_of(program.receives, [&](const Receive& receive) {
           return is_whole(receive) && receive.slot >= 2;
         });
}

InboxExecutor::InboxExecutor(const Program& program, std::vector<Range> chunks)
    : chunks_(std::move(chunks)) {
  GV_CHECK(fits(program));
  const std::vector<Ticket> tickets(chunks_.size());
  for (const Send& send : program.sends) {
    sends_.push_back({send.peer, tickets});
    ++traffic_.messages;
    for (const Range& chunk : chunks_) {
      traffic_.bytes += chunk.size() * static_cast<int64_t>(sizeof(float));
    }
  }
  for (const Receive& receive : program.receives) {
    receives_.push_back({receive.peer, tickets});
  }
  const Combine& sum = program.combines[0];
  for (const int slot : sum.terms) {
    const auto from =
        std::ranges::find(program.receives, slot, [](const Receive& receive) {
          return receive.slot;
        });
    const bool own = slot == kValue;
    GV_CHECK(own || from != program.receives.end());
    terms_.push_back(
        own ? -1 : static_cast<int>(from - program.receives.begin()));
  }
  weights_ = sum.weights;
  scale_ = sum.scale;
}

void InboxExecutor::run(
    Link& link,
    const float* value,
    std::span<float* const> inboxes,
    ChunkEvents& events) {
  const auto chunks = static_cast<int64_t>(chunks_.size());
  for (int64_t c = 0; c < chunks; ++c) {
    events.before(c);
    const Range chunk = chunks_[c];
    const auto size = static_cast<size_t>(chunk.size());
    for (size_t i = 0; i < receives_.size(); ++i) {
      const std::span<float> into(inboxes[i] + chunk.begin, size);
      receives_[i].tickets[c] = link.recv(
          std::as_writable_bytes(into),
          receives_[i].peer,
          kFirstMixTag);
    }
    const std::span<const float> from(value + chunk.begin, size);
    for (Transfer& send : sends_) {
      send.tickets[c] = link.send(std::as_bytes(from), send.peer, kFirstMixTag);
    }
    if (c + 1 >= kWindow) finish(link, c + 1 - kWindow, events);
  }
  for (int64_t c = std::max<int64_t>(0, chunks + 1 - kWindow); c < chunks; ++c)
    finish(link, c, events);
}

void InboxExecutor::finish(Link& link, int64_t c, ChunkEvents& events) {
  for (Transfer& receive : receives_)
    link.wait(receive.tickets[c]);
  for (Transfer& send : sends_)
    link.wait(send.tickets[c]);
  events.after(c);
}

} // namespace grapevine::comm
