// Who is to blame for the waits of a run: which worker, which link, and what
// each costs.
//
// Whoever waits is late in turn, so a slow worker is waited for by its
// neighbours, these by theirs, and in the end all go at one pace. So waits are
// followed to where they come from. Of the time w_ij that i waited for j
//
//   p_j = min(1, w_j / (3/4 median_k w_k)),   w_j = sum_k w_jk
//
// is passed on to those that j waited for itself, in the shares w_jk / w_j,
// and the rest stays with j: a worker that waits much less than the others is
// what they wait for. What is passed on without end goes round between workers
// that wait for one another. Where that is mostly one pair, the link between
// them is slow: a delay d from j to i makes i late by d, which j notices one
// message later, so both wait d / 2 a step. Where it is spread over many, the
// network is slow as a whole or the steps are of uneven length, and no worker
// or link is to blame.
//
// A cost is the time that the mean worker waited for the one cause. That is
// how much sooner it would have been done without it, as long as no other
// cause would have taken its place.
#pragma once

#include "report/json_writer.h"
#include "report/statistics.h"

#include <optional>
#include <string>
#include <vector>

namespace grapevine::report {

// For so long a worker could not go on for want of what a peer sends.
struct Wait {
  int worker = 0;
  int peer = 0;
  double seconds = 0;
};

struct Straggler {
  int worker = 0;
  double cost = 0;             // seconds
  double compute_ratio = kNan; // its compute seconds / the workers' median
};

// Between two workers; the waits do not tell the direction.
struct SlowLink {
  int a = 0; // a < b
  int b = 0;
  double cost = 0; // seconds
};

// What the clock of a virtual run knows besides: seconds a worker of waits for
// bytes, if all had computed alike, and those that differences between workers
// and steps cost (sim/model.h).
struct VirtualLosses {
  double exposed = kNan;
  double straggler = kNan;
};

struct Blame {
  std::vector<Wait> waits;             // by worker, then peer; those above 0
  std::vector<double> compute;         // seconds by worker; NaN = not known
  double seconds = kNan;               // of training
  double mean_wait = 0;                // seconds a worker
  std::optional<VirtualLosses> losses; // then all times are virtual
  std::optional<Straggler> straggler;
  std::optional<SlowLink> link;
  // The worker and link named above and what they cost; or that none stands
  // out; or nothing, if the waits are short.
  std::vector<std::string> sentences;
};

// Causes below this share of the training time are not named, and there is no
// sentence if the median worker waits less.
inline constexpr double kLeastBlame = 0.05;
// A link is named if so much of what goes round is its own.
inline constexpr double kLeastLinkShare = 0.5;

// `waits`: in any order, those of the same two are summed; such as name no
// worker of 0 ≤ k < compute.size() or are no finite time above 0 are left out.
// `seconds`: of training; if it is not known, no cause is named.
Blame find_blame(
    const std::vector<Wait>& waits,
    std::vector<double> compute,
    double seconds,
    std::optional<VirtualLosses> losses = std::nullopt);

// Writes the fields of an object.
void write_blame(JsonWriter& json, const Blame& blame);

} // namespace grapevine::report
