// What the virtual clock tells of a run's workers, in virtual seconds: whom
// they waited for, and in the steps that are traced what they did when.
//
// Where no single peer came late but links were slow, a wait is divided evenly
// among the peers whose links are the slowest (of more than 64 the next 64 by
// rank, so that no worker gets more than another).
//
// One thread.
#pragma once

#include "graph/schedule.h"
#include "run/timeline_row.h"
#include "sim/model.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <span>
#include <vector>

namespace grapevine::run {

class VirtualWatch : public sim::Watcher {
 public:
  explicit VirtualWatch(int n) : workers_(n) {}

  // Forgets what was traced; from now on steps are traced, or not.
  void trace(bool traces);
  // What a worker did since; its exchanges last.
  std::vector<TimelineRow> timeline(int worker) const;

  // What a step came to.
  void add(const sim::StepTimes& times);
  // The records of what was added and waited since the last call:
  // docs/formats.md, "virtual_spans" and "waits". moment: of the last step.
  std::vector<nlohmann::json> take_records(const graph::StepTime& moment);

  void worked(int worker, sim::Work work, int bucket, double begin, double end)
      override;
  void waited(
      int worker,
      int bucket,
      std::span<const int> peers,
      double begin,
      double end) override;
  void exchanged(int worker, double begin, double end) override;

 private:
  struct Event {
    std::string_view span;
    double begin = 0;
    double end = 0;
    int bucket = -1;
    int peer = -1;
  };
  struct Watched {
    double computed = 0;          // seconds
    std::map<int, double> waited; // seconds by peer
    std::vector<Event> events;    // while it is traced
    std::vector<Event> exchanges;
  };

  std::vector<Watched> workers_;
  bool traces_ = false;
  sim::StepTimes times_;
};

} // namespace grapevine::run
