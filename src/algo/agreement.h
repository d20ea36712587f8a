// How replicas come to agree, as data: what happens to a bucket of the planes
// in a step, and when. One row per agreement (agreement.cpp, with the formulas)
// is all that the program knows about it: the parser, --help and validation
// read its traits, mix/stepper.h executes its stages on memory, and
// sim/recursion.h executes the same stages on a clock.
//
// An agreement says what is sent; the graph says to whom, the communicator how.
#pragma once

#include "base/option.h"
#include "base/range.h"

#include <span>
#include <string>
#include <vector>

namespace grapevine::tensor {
class Arena;
}
namespace grapevine::algo {
class LocalRule;
}

namespace grapevine::algo {

// kMovingAverage: of the weights, if a run keeps one: the last of a worker's
// state planes, after the agreement's own.
enum class Plane { kParameters, kGradients, kBuffers, kMovingAverage };

std::span<float> plane_of(tensor::Arena& arena, Plane plane);

// What is done with a bucket.
struct Stage {
  enum class When {
    kGradientReady, // when the bucket's gradients are final
    kAfterBackward, // when those of all buckets are
  };
  enum class What {
    kTransform, // calls `transform`
    kUpdate,    // the local rule acts, on the mixed value if it has just come
    kSend,      // the plane's value goes to the neighbours
    kWait,      // until the plane's average is there
  };
  // plane: the agreement's first state plane.
  using Transform = void (*)(tensor::Arena& arena, int plane, Range range);

  When when;
  What what;
  Plane plane = Plane::kParameters; // of kSend and kWait
  Transform transform = nullptr;
};

// The options of agreements, each for those that name it. An option of a new
// agreement is a field here and a line in agreement_options().
struct AgreementOptions {
  double rate = 1;                    // gossip: averagings per gradient
  std::string averagings = "poisson"; // gossip: poisson | exact
  bool continuous_momentum = false;   // gossip: that of A2CiD2
  // gossip: averagings that a worker may be behind; -1 = any number
  int64_t max_lag = -1;
  // The mixing strength follows the learning rate: mixing_strength().
  double mixing_power = 0;
  double mixing_floor = 0;
};

// In the order of --help.
const std::vector<Option<AgreementOptions>>& agreement_options();

// Returns how much of a step's exchange counts, 0 to 1 (DSGD-AC, arXiv
// 2602.02899):
//
//   s_t = (1 - floor) (lr_t / lr_max)^power + floor
//   x   <- (1 - s_t) x + s_t sum_j W_ij x_j
//
// share: lr_t / lr_max. power = 0 is plain mixing.
double mixing_strength(const AgreementOptions& options, double share);

struct Agreement {
  // kAny: either push-sum weights correct the bias (graph::Schedule::weights),
  // or pairs average both ways, whichever way an edge points.
  enum class Graph { kComplete, kDoublyStochastic, kAny };

  std::string name;
  std::string summary;
  // Names of the options that it takes.
  std::vector<std::string> options = {};
  Graph graph = Graph::kDoublyStochastic;
  // Whether each worker may clip its own gradient.
  bool allows_clipping = true;
  // Its own, by their names in checkpoints, after those of the local rule.
  std::vector<std::string> planes = {};
  // In the order of their times. None: asynchronous. Such a run has no steps in
  // common; gossip/ executes it.
  std::vector<Stage> stages = {};

  bool is_asynchronous() const { return stages.empty(); }
  // Gradients are averaged over all workers.
  bool is_centralized() const { return graph == Graph::kComplete; }
  // The local rule is given lr / w_i, with the weight that goes with what it
  // changes, before the mixing or after it.
  bool carries_weights() const {
    return !is_asynchronous() && graph == Graph::kAny;
  }

  // The following are about synchronous agreements.

  // The plane that is sent first, and how many are.
  Plane exchanged() const;
  int planes_sent() const;
  // A step's exchange is begun by the step before, as soon as a bucket is
  // final, and only reads the plane: the local rule adds the mixed value up.
  // Otherwise replicas that begin equal stay equal, bit for bit, on the
  // complete graph.
  bool sends_ahead() const;
  // The local rule acts on what has come rather than on what is sent.
  bool updates_after_wait() const;

  // The stages when a bucket's gradients are final.
  std::span<const Stage> ready_stages() const;
  // Those after backward, in passes over all buckets; a send or a wait begins a
  // pass.
  std::vector<std::span<const Stage>> late_passes() const;
};

// Whether one of the stages is of this kind.
bool contains(std::span<const Stage> stages, Stage::What what);

// Every agreement of the program.
const std::vector<Agreement>& agreement_table();
inline constexpr const char* kDefaultAgreement = "adapt-then-combine";

// The row of the table, which lives as long as the program. ConfigError if no
// agreement, or no synchronous one, has this name.
const Agreement& find_agreement(const std::string& name);
const Agreement& find_synchronous_agreement(const std::string& name);

// The names of those that have a trait, in the order of the table.
std::vector<std::string> agreements_that(bool (Agreement::*trait)() const);

// The planes of state that an arena must have, by their names in checkpoints.
std::vector<std::string> state_planes(
    const Agreement& agreement,
    const algo::LocalRule& rule);

} // namespace grapevine::algo
