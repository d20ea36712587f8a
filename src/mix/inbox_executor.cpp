#include "mix/inbox_executor.h"

#include "base/check.h"

#include <algorithm>

namespace grapevine::mix {
namespace {

// Chunks in flight at once: enough to keep both ways of a link busy.
constexpr int64_t kWindow = 4;

int64_t bytes_of(const Range& chunk) {
  return chunk.size() * static_cast<int64_t>(sizeof(float));
}

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

InboxExecutor::InboxExecutor(
    const Program& program,
    std::vector<Range> chunks,
    std::span<const int> near)
    : chunks_(std::move(chunks)) {
  GV_CHECK(fits(program));
  const auto is_near = [&](int peer) {
    return std::ranges::find(near, peer) != near.end();
  };
  const std::vector<Ticket> tickets(chunks_.size());
  for (const Send& send : program.sends) {
    if (is_near(send.peer)) {
      near_readers_.push_back(send.peer);
    } else {
      sends_.push_back({send.peer, tickets});
    }
    ++traffic_.messages;
    for (const Range& chunk : chunks_)
      traffic_.bytes += bytes_of(chunk);
  }
  const Combine& sum = program.combines[0];
  terms_.resize(sum.terms.size());
  for (const Receive& receive : program.receives) {
    const auto place = std::ranges::find(sum.terms, receive.slot);
    GV_CHECK(place != sum.terms.end());
    Term& term = terms_[place - sum.terms.begin()];
    if (is_near(receive.peer)) {
      near_sources_.push_back(receive.peer);
      term.near = receive.peer;
    } else {
      term.inbox = inboxes();
      receives_.push_back({receive.peer, tickets});
    }
  }
  weights_ = sum.weights;
  scale_ = sum.scale;
}

tensor::MixTerms InboxExecutor::terms_of(
    const Windows& windows,
    int64_t exchange,
    std::span<float* const> inboxes,
    const float* value,
    TermPointers& pointers) const {
  size_t count = 0;
  for (const Term& term : terms_) {
    pointers[count++] = term.inbox >= 0 ? inboxes[term.inbox]
                        : term.near >= 0
                            ? windows.outbox_of(term.near, exchange)
                            : value;
  }
  return {
      .terms = {pointers.data(), count},
      .weights = weights_,
      .scale = scale_};
}

void InboxExecutor::run(const Place& place, ChunkEvents& events) {
  const auto chunks = static_cast<int64_t>(chunks_.size());
  int64_t finished = 0;
  const auto finish_next = [&] {
    finish(place, finished);
    events.after(finished++);
  };
  for (int64_t c = 0; c < chunks; ++c) {
    events.before(c);
    post(place, c);
    if (is_all_near()) {
      // A neighbour that is late must not keep what this worker shows to the
      // others, so nobody is waited for yet.
      while (finished <= c && is_there(place, finished))
        finish_next();
    } else if (c + 1 >= kWindow) {
      finish_next();
    }
  }
  while (finished < chunks)
    finish_next();
}

bool InboxExecutor::is_there(const Place& place, int64_t c) const {
  return std::ranges::all_of(near_sources_, [&](int peer) {
    return place.windows->is_published(peer, place.exchange, c);
  });
}

void InboxExecutor::post(const Place& place, int64_t c) {
  const Range chunk = chunks_[c];
  const auto size = static_cast<size_t>(chunk.size());
  for (size_t i = 0; i < receives_.size(); ++i) {
    const std::span<float> into(place.inboxes[i] + chunk.begin, size);
    receives_[i].tickets[c] = place.link.recv(
        std::as_writable_bytes(into),
        receives_[i].peer,
        kFirstMixTag);
  }
  const std::span<const float> from(place.value + chunk.begin, size);
  for (Transfer& send : sends_) {
    send.tickets[c] =
        place.link.send(std::as_bytes(from), send.peer, kFirstMixTag);
  }
  if (has_near_readers()) {
    std::ranges::copy(from, claim(place, c) + chunk.begin);
    place.windows->publish(c);
  }
}

float* InboxExecutor::claim(const Place& place, int64_t c) const {
  return place.windows->claim(c, near_readers_, bytes_of(chunks_[c]));
}

void InboxExecutor::finish(const Place& place, int64_t c) {
  for (Transfer& receive : receives_)
    place.link.wait(receive.tickets[c]);
  for (Transfer& send : sends_)
    place.link.wait(send.tickets[c]);
  for (const int peer : near_sources_)
    place.windows->await(peer, place.exchange, c, bytes_of(chunks_[c]));
  if (place.in_place != nullptr) {
    const Range chunk = chunks_[c];
    tensor::mixed_value(
        place.value + chunk.begin,
        *place.in_place,
        chunk.begin,
        chunk.size());
    for (const int peer : near_sources_)
      place.windows->consumed(peer, place.exchange, c);
  }
}

} // namespace grapevine::mix
