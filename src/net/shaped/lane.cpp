#include "net/shaped/lane.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::net {

void Lane::check_link(const LinkTable::Session& table) const {
  if (me_ == peer_ || table.link(me_, peer_) == link_) return;
  throw TransportError(
      fmt::format("the link with worker {} has been made anew since", peer_));
}

void Lane::send(LinkTable::Session& table, Passage& passage) {
  check_link(table);
  departures_.push_back({.index = -1, .passage = &passage});
  look(table);
}

void Lane::receive(LinkTable::Session& table, Passage& passage) {
  check_link(table);
  // The peer may have been first.
  const auto early = std::ranges::find_if(arrivals_, [&](const auto& arrival) {
    return arrival.passage == nullptr && arrival.tag == passage.tag;
  });
  if (early == arrivals_.end()) {
    table.want(peer_, me_, passage.bytes);
    receives_.push_back(&passage);
  } else {
    table.want(peer_, me_, early->bytes);
    early->passage = &passage;
    passage.end = early->end;
  }
  look(table);
}

void Lane::look(LinkTable::Session& table) {
  check_link(table);
  append_waiting(table);
  look_at_departures(table);
  look_at_arrivals(table);
}

void Lane::append_waiting(LinkTable::Session& table) {
  const auto first = std::ranges::find_if(departures_, [](const auto& it) {
    return it.index < 0;
  });
  for (auto it = first; it != departures_.end(); ++it) {
    Passage& passage = *it->passage;
    const auto index = table.append(me_, peer_, passage.tag, passage.bytes);
    if (!index) return;
    it->index = *index;
    passage.end = table.entry(me_, peer_, *index).end;
  }
}

void Lane::look_at_departures(LinkTable::Session& table) {
  while (!departures_.empty() && departures_.front().index >= 0) {
    const Departure& first = departures_.front();
    const auto& entry = table.entry(me_, peer_, first.index);
    if (entry.finish < 0) break;
    first.passage->finish = entry.finish;
    table.sender_has_read(me_, peer_, first.index + 1);
    departures_.pop_front();
  }
}

void Lane::read_new_arrivals(LinkTable::Session& table) {
  const int64_t appended = table.appended(peer_, me_);
  for (; arrivals_read_ < appended; ++arrivals_read_) {
    const auto& entry = table.entry(peer_, me_, arrivals_read_);
    Arrival arrival{
        .index = arrivals_read_,
        .bytes = entry.end - arrived_,
        .end = entry.end,
        .finish = -1,
        .tag = entry.tag,
        .passage = nullptr};
    const auto met = std::ranges::find(receives_, entry.tag, &Passage::tag);
    if (met != receives_.end()) {
      Passage& receive = **met;
      arrival.passage = &receive;
      receive.end = arrival.end;
      // It may be shorter than the room that was asked for.
      table.want(peer_, me_, arrival.bytes - receive.bytes);
      receives_.erase(met);
    }
    arrived_ = arrival.end;
    arrivals_.push_back(arrival);
  }
}

void Lane::look_at_arrivals(LinkTable::Session& table) {
  read_new_arrivals(table);
  int64_t low = arrivals_read_;
  for (Arrival& arrival : arrivals_) {
    if (arrival.finish < 0) {
      arrival.finish = table.entry(peer_, me_, arrival.index).finish;
    }
    if (arrival.finish < 0) {
      // Messages go through in the order of the log.
      low = arrival.index;
      break;
    }
    if (arrival.passage != nullptr && !arrival.is_told) {
      arrival.passage->finish = arrival.finish;
      arrival.is_told = true;
    }
  }
  table.receiver_has_read(peer_, me_, low);
  while (!arrivals_.empty() && arrivals_.front().is_told)
    arrivals_.pop_front();
}

} // namespace grapevine::net
