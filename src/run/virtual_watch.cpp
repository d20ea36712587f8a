#include "run/virtual_watch.h"

#include "record/span.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace grapevine::run {
namespace {

// Links that are equally slow and share the blame of one wait.
constexpr size_t kMostBlamed = 64;

std::string_view span_of(sim::Work work) {
  switch (work) {
    case sim::Work::kForward:
      return record::name(record::Span::kForward);
    case sim::Work::kBackward:
      return record::name(record::Span::kBackward);
    case sim::Work::kUpdate:
      return record::name(record::Span::kUpdate);
  }
  return "";
}

// `members` ascend, the worker perhaps among them; the others, beginning with
// the next one by rank.
std::vector<int> others(int worker, std::span<const int> members) {
  std::vector<int> list(members.begin(), members.end());
  const auto next = std::ranges::upper_bound(list, worker);
  std::rotate(list.begin(), next, list.end());
  std::erase(list, worker);
  list.resize(std::min(list.size(), kMostBlamed));
  return list;
}

} // namespace

void VirtualWatch::trace(bool traces) {
  traces_ = traces;
  for (Watched& worker : workers_) {
    worker.events.clear();
    worker.exchanges.clear();
  }
}

std::vector<TimelineRow> VirtualWatch::timeline(int worker) const {
  std::vector<TimelineRow> rows;
  const auto add = [&](const std::vector<Event>& events) {
    for (const Event& event : events) {
      rows.push_back(
          virtual_row(event.span, event.begin, event.end, event.peer));
      rows.back().bucket = event.bucket;
    }
  };
  add(workers_[worker].events);
  add(workers_[worker].exchanges);
  return rows;
}

void VirtualWatch::add(const sim::StepTimes& times) {
  times_ += times;
}

std::vector<nlohmann::json> VirtualWatch::take_records(
    const graph::StepTime& moment) {
  const auto record = [&](const char* type) {
    return nlohmann::json{
        {"type", type},
        {"epoch", moment.epoch},
        {"step", moment.step}};
  };
  std::vector<nlohmann::json> records = {record("virtual_spans")};
  records.back()["seconds"] = {
      {"all", times_.seconds},
      {"compute", times_.compute},
      {"exposed", times_.exposed},
      {"straggler", times_.straggler},
      {"wait", times_.waited}};
  times_ = {};
  for (size_t i = 0; i < workers_.size(); ++i) {
    std::vector<int> peers;
    std::vector<double> seconds;
    for (const auto& [peer, waited] : std::exchange(workers_[i].waited, {})) {
      peers.push_back(peer);
      seconds.push_back(waited);
    }
    records.push_back(record("waits"));
    records.back().update(
        {{"worker", i},
         {"virtual", true},
         {"compute", std::exchange(workers_[i].computed, 0.0)},
         {"peers", peers},
         {"seconds", seconds}});
  }
  return records;
}

void VirtualWatch::worked(
    int worker,
    sim::Work work,
    int bucket,
    double begin,
    double end) {
  Watched& watched = workers_[worker];
  watched.computed += end - begin;
  if (!traces_ || end <= begin) return;
  const bool is_update = work == sim::Work::kUpdate;
  const std::string_view span = span_of(work);
  std::vector<Event>& events = watched.events;
  // Backward goes on from bucket to bucket until something comes between.
  const bool goes_on = !is_update && !events.empty() &&
                       events.back().span == span && events.back().end == begin;
  if (goes_on) {
    events.back().end = end;
    return;
  }
  events.push_back(
      {.span = span,
       .begin = begin,
       .end = end,
       .bucket = is_update ? bucket : -1});
}

void VirtualWatch::waited(
    int worker,
    int bucket,
    std::span<const int> peers,
    double begin,
    double end) {
  Watched& watched = workers_[worker];
  const std::vector<int> blamed = others(worker, peers);
  const double share = (end - begin) / static_cast<double>(blamed.size());
  for (const int peer : blamed)
    watched.waited[peer] += share;
  if (!traces_) return;
  watched.events.push_back(
      {.span = record::name(record::Span::kWait),
       .begin = begin,
       .end = end,
       .bucket = bucket,
       .peer = blamed.size() == 1 ? blamed.front() : -1});
}

void VirtualWatch::exchanged(int worker, double begin, double end) {
  if (!traces_) return;
  workers_[worker].exchanges.push_back(
      {.span = record::name(record::Span::kExchange),
       .begin = begin,
       .end = end});
}

} // namespace grapevine::run
