// What a run did when, and whom it waited for.
#include "train/run.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace grapevine::train {
namespace {

using Clock = probe::Event::Clock;

// Microseconds since 1970, which all processes of a machine share, and those
// of a cluster as far as its clocks agree.
int64_t microseconds(Clock::time_point when) {
  static const auto offset =
      std::chrono::system_clock::now().time_since_epoch() -
      Clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(
             when.time_since_epoch() + offset)
      .count();
}

nlohmann::json to_json(const probe::Event& event) {
  const int64_t begin = microseconds(event.begin);
  nlohmann::json row = {
      probe::name(event.span),
      begin,
      microseconds(event.end) - begin,
      event.bucket,
      event.peer};
  return row;
}

} // namespace

bool Run::opens_timeline() {
  const int64_t every = setup_.spec.trace_every;
  const bool traces = every > 0 && step_ % every < 2;
  for (probe::Spans& spans : spans_) {
    if (traces) {
      spans.timeline().open();
    } else {
      spans.timeline().close();
    }
  }
  return traces;
}

void Run::updated(int index, int bucket, Clock::time_point begin) {
  spans_[index].timeline().add(
      {.span = probe::Span::kUpdate,
       .begin = begin,
       .end = Clock::now(),
       .bucket = bucket});
}

void Run::waited(int index, int bucket, Clock::time_point begin, int peer) {
  spans_[index].timeline().add(
      {.span = probe::Span::kWait,
       .begin = begin,
       .end = Clock::now(),
       .peer = peer,
       .bucket = bucket});
}

void Run::record_timeline() {
  const cluster::Cluster::Period exchange = cluster_.last_exchange();
  if (exchange.end > exchange.begin) {
    spans_[0].timeline().add(
        {.span = probe::Span::kExchange,
         .begin = exchange.begin,
         .end = exchange.end});
  }
  for (size_t i = 0; i < spans_.size(); ++i) {
    nlohmann::json events = nlohmann::json::array();
    for (const probe::Event& event : spans_[i].timeline().events())
      events.push_back(to_json(event));
    records_->append(
        {{"type", "timeline"},
         {"step", step_},
         {"worker", cluster_.hosted()[i]},
         {"events", events}});
  }
}

void Run::record_waits() {
  const std::span<const double> waits = cluster_.waits();
  if (waits.empty()) return;
  last_waits_.resize(waits.size());
  std::vector<double> seconds(waits.size());
  for (size_t peer = 0; peer < waits.size(); ++peer)
    seconds[peer] = waits[peer] - last_waits_[peer];
  last_waits_.assign(waits.begin(), waits.end());
  records_->append(
      {{"type", "waits"},
       {"epoch", setup_.moment(step_ - 1).epoch},
       {"step", step_ - 1},
       {"worker", cluster_.hosted().front()},
       {"seconds", seconds}});
}

} // namespace grapevine::train
