// How replicas come to agree: which plane travels through the graph, and
// whether the local rule acts before or after that.
//
// An agreement says what; the graph says with whom, the communicator how. It
// is executed by train/cluster.h, for all workers of a virtual cluster or for
// one worker of a real one, over ranges of the planes, so that computing a
// range overlaps with moving the ones before it.
#pragma once

#include "arena/arena.h"
#include "base/range.h"
#include "optim/local_rule.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::algo {

enum class Plane { kParameters, kGradients, kBuffers };

std::span<float> plane_of(arena::Arena& arena, Plane plane);

class Agreement {
 public:
  virtual ~Agreement() = default;

  virtual std::string name() const = 0;
  // What is averaged over the graph.
  virtual Plane exchanged() const = 0;
  // Whether the local rule acts before the exchange or after it.
  virtual bool adapts_first() const = 0;

  // On a range just before it is first sent, and just after it has been
  // averaged. Called for every range of the plane, ascending, once a step.
  // block_squares: as LocalRule::update takes them (the parameters *before*
  // they are averaged, where they are averaged at all).
  virtual void before_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      std::span<double> block_squares) const = 0;
  virtual void after_exchange(
      arena::Arena& arena,
      Range range,
      const optim::StepInfo& info,
      std::span<double> block_squares) const = 0;

  // Replicas that begin equal stay equal, bit for bit, on the complete graph.
  virtual bool keeps_replicas_equal() const = 0;
};

struct AgreementEntry {
  std::string name;
  std::string summary;
};
const std::vector<AgreementEntry>& agreement_table();

std::unique_ptr<Agreement> make_agreement(
    const std::string& name,
    std::shared_ptr<const optim::LocalRule> rule);

} // namespace grapevine::algo
