// What a run did when, and whom it waited for.
#include "run/run.h"
#include "run/timeline_record.h"

#include <nlohmann/json.hpp>

namespace grapevine::run {

using Clock = record::Event::Clock;

bool Run::opens_timeline() {
  const bool traces = is_traced(config_.spec, step_);
  if (watch_) watch_->trace(traces);
  for (record::Spans& spans : spans_)
    spans.timeline().listen(traces && !watch_);
  return traces;
}

void Run::updated(int index, int bucket, Clock::time_point begin) {
  spans_[index].timeline().add(
      {.span = record::Span::kUpdate,
       .begin = begin,
       .end = Clock::now(),
       .bucket = bucket});
}

void Run::waited(int index, int bucket, Clock::time_point begin, int peer) {
  spans_[index].timeline().add(
      {.span = record::Span::kWait,
       .begin = begin,
       .end = Clock::now(),
       .peer = peer,
       .bucket = bucket});
}

void Run::record_timeline() {
  if (watch_) {
    for (const int worker : cluster_.hosted()) {
      records_->append(
          timeline_record(step_, worker, watch_->timeline(worker)));
    }
    return;
  }
  const mix::Cluster::Period exchange = cluster_.last_exchange();
  if (exchange.end > exchange.begin) {
    spans_[0].timeline().add(
        {.span = record::Span::kExchange,
         .begin = exchange.begin,
         .end = exchange.end});
  }
  for (size_t i = 0; i < spans_.size(); ++i) {
    std::vector<TimelineRow> rows;
    for (const record::Event& event : spans_[i].timeline().events())
      rows.push_back(row_of(event));
    records_->append(timeline_record(step_, cluster_.hosted()[i], rows));
  }
}

void Run::record_waits() {
  if (watch_) {
    for (const auto& record : watch_->take_records(config_.moment(step_ - 1)))
      records_->append(record);
  }
  const std::span<const double> waits = cluster_.waits();
  if (waits.empty()) return;
  last_waits_.resize(waits.size());
  std::vector<double> seconds(waits.size());
  for (size_t peer = 0; peer < waits.size(); ++peer)
    seconds[peer] = waits[peer] - last_waits_[peer];
  last_waits_.assign(waits.begin(), waits.end());
  records_->append(
      {{"type", "waits"},
       {"epoch", config_.moment(step_ - 1).epoch},
       {"step", step_ - 1},
       {"worker", cluster_.hosted().front()},
       {"seconds", seconds}});
}

} // namespace grapevine::run
