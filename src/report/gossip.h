// What the workers of an asynchronous run did and waited for: who is slow, how
// often they averaged, how long for a partner, how old what they wrote was, and
// who was lost on the way.
//
// Seconds are virtual ones if all workers share a process. Without a virtual
// clock a gradient takes one of them, give or take, and nothing else any: such
// times are in gradients.
#pragma once

#include "report/json_writer.h"
#include "report/statistics.h"

#include <span>
#include <string>
#include <vector>

namespace grapevine::report {

struct GossipWorker {
  double gradients = 0;
  double averagings = 0;
  double rate = kNan;      // averagings for each gradient
  double staleness = kNan; // gradients, mean over averagings
  double staleness_most = 0;
  double wait = kNan; // seconds for a partner, mean over averagings
  double wait_most = 0;
  double pair = kNan;      // seconds with a partner, mean over averagings
  double held_seconds = 0; // its gradients were held back, in all
  double lost = 0;         // times, as its neighbours saw it
  double came_back = 0;
};

// The figures of a worker by name: in the page's data and --json, and as a
// column of workers.csv.
struct GossipField {
  const char* name;
  const char* csv_name;
  double GossipWorker::*value;
};
std::span<const GossipField> gossip_fields();

// A link over which averagings take much longer than over the median one.
struct GossipLink {
  int a = 0; // a < b
  int b = 0;
  double averagings = 0; // as both ends count them
  double pair = kNan;    // seconds, mean over averagings
  double ratio = kNan;   // to the median link's
};

// A neighbour saw a worker go or come back.
struct GossipChange {
  double seconds = kNan; // since the neighbour began
  int seen_by = -1;
  int worker = -1;
  bool is_there = false;
  std::string why;
};

struct Gossip {
  double asked_rate = kNan;
  bool has_clock = true;             // false: times are in gradients
  std::vector<GossipWorker> workers; // by rank
  GossipWorker all;         // sums, means over all averagings, the most of any
  std::vector<int> members; // at the end; empty = not known
  std::vector<GossipChange> changes;  // the first of them, a worker's in order
  std::vector<GossipLink> slow_links; // the slowest first
  // Which workers and links are slow, which rate was lower than asked for,
  // which workers were lost.
  std::vector<std::string> sentences;
};

// A worker with less than this share of the median's gradients is named, and
// so is a rate below this share of what was asked for.
inline constexpr double kSlowShare = 0.75;
inline constexpr double kLowRateShare = 0.9;
// A link is named whose averagings take so many times as long as over the
// median link.
inline constexpr double kSlowLinkRatio = 3;

// "1.25 ms", "3 s" or "0.5 gradients".
std::string gossip_time(const Gossip& gossip, double time);

// Fills in the sentences from the rest.
void say_gossip(Gossip& gossip);

// Writes the fields of an object, without the curves.
void write_gossip(JsonWriter& json, const Gossip& gossip);

} // namespace grapevine::report
