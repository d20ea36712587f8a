#include "mix/flight_recorder.h"

#include "base/check.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace grapevine::mix {

namespace {

int64_t nanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

std::string describe_one(const Flight& flight) {
  std::string line = fmt::format(
      "#{} step {} [{}] {} worker {}, {} bytes, posted at {:.3f} s, ",
      flight.number,
      flight.step,
      flight.operation,
      std::string(flight.direction) == "send" ? "send to" : "recv from",
      flight.peer,
      flight.bytes,
      flight.posted_seconds);
  switch (flight.state) {
    case Flight::State::kPosted:
      return line + "not finished";
    case Flight::State::kDone:
      return line + fmt::format("done at {:.3f} s", flight.finished_seconds);
    case Flight::State::kFailed:
      return line + fmt::format("failed at {:.3f} s", flight.finished_seconds);
  }
  return line;
}

} // namespace

FlightRecorder::FlightRecorder(int capacity)
    : ring_(capacity),
      epoch_nanoseconds_(nanoseconds()) {
  GV_CHECK_GE(capacity, 1);
}

int64_t FlightRecorder::post(
    int64_t step,
    const char* operation,
    const char* direction,
    int peer,
    int64_t bytes) {
  const int64_t number = next_++;
  ring_[number % ring_.size()] = {
      .number = number,
      .step = step,
      .operation = operation,
      .direction = direction,
      .peer = peer,
      .bytes = bytes,
      .posted_seconds = now()};
  return number;
}

void FlightRecorder::finish(int64_t number, Flight::State state) {
  Flight& flight = ring_[number % ring_.size()];
  if (flight.number != number) return; // overwritten by newer ones
  flight.finished_seconds = now();
  flight.state = state;
}

std::vector<Flight> FlightRecorder::last() const {
  const auto capacity = static_cast<int64_t>(ring_.size());
  std::vector<Flight> flights;
  for (int64_t i = std::max<int64_t>(0, next_ - capacity); i < next_; ++i) {
    flights.push_back(ring_[i % capacity]);
  }
  return flights;
}

std::string FlightRecorder::describe(int most) const {
  const std::vector<Flight> flights = last();
  const size_t shown =
      std::min(flights.size(), static_cast<size_t>(std::max(0, most)));
  std::string lines;
  for (size_t i = flights.size() - shown; i < flights.size(); ++i) {
    if (!lines.empty()) lines += '\n';
    lines += describe_one(flights[i]);
  }
  return lines;
}

double FlightRecorder::now() const {
  return static_cast<double>(nanoseconds() - epoch_nanoseconds_) * 1e-9;
}

} // namespace grapevine::mix
