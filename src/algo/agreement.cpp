#include "algo/agreement.h"

#include "algo/local_rule.h"
#include "base/error.h"
#include "tensor/arena.h"
#include "tensor/kernels/elementwise.h"

#include <algorithm>
#include <cmath>

namespace grapevine::algo {
namespace {

using What = Stage::What;
using When = Stage::When;

constexpr When kReady = When::kGradientReady;
constexpr When kLate = When::kAfterBackward;
constexpr Plane kX = Plane::kParameters;
constexpr Plane kG = Plane::kGradients;

constexpr Stage update(When when) {
  return {when, What::kUpdate};
}
constexpr Stage send(When when, Plane plane) {
  return {when, What::kSend, plane};
}
constexpr Stage wait(When when, Plane plane) {
  return {when, What::kWait, plane};
}
constexpr Stage transform(When when, Stage::Transform function) {
  return {when, What::kTransform, kX, function};
}

// The two transforms of gradient tracking, on a range of the gradients and of
// the tracker's state plane.

// y = g + s takes the gradient's place, g waits in s.
void track(tensor::Arena& arena, int plane, Range range) {
  tensor::track(
      arena.gradients().data() + range.begin,
      arena.state(plane).data() + range.begin,
      range.size());
}

// s = (mixed y) - g.
void keep_lead(tensor::Arena& arena, int plane, Range range) {
  tensor::keep_lead(
      arena.gradients().data() + range.begin,
      arena.state(plane).data() + range.begin,
      range.size());
}

std::vector<Agreement> make_table() {
  const std::vector<Stage> adapt_then_combine = {
      update(kReady),
      send(kReady, kX),
      wait(kLate, kX)};
  const std::vector<Stage> combine_while_adapt = {
      wait(kReady, kX),
      update(kReady),
      send(kReady, kX)};
  const std::vector<std::string> damping = {"mixing-power", "mixing-floor"};
  return {
      // All-reduce, centralized data parallelism:
      //
      //   g   = (1/n) sum_j g_j      in rank order, the same bits everywhere
      //   x_i = x_i - lr * d(g)      the same on every worker
      //
      // A step sends 2(n-1)/n model copies per worker, in 2(n-1) messages.
      // Gradients are sent bucket by bucket while backward computes the rest;
      // what is left at its end is waited for.
      {.name = "allreduce",
       .summary = "gradients averaged over all workers, then one step",
       .graph = Agreement::Graph::kComplete,
       .stages = {send(kReady, kG), wait(kLate, kG), update(kLate)}},

      // Adapt, then combine (decentralized SGD as DBench trains it):
      //
      //   y_i = x_i - lr * d_i(g_i)  the local rule, its state stays local
      //   x_i = sum_j W_ij y_j
      //
      // Norms are those of y_i, before averaging. A step sends what the plan of
      // W sends (mix/plan.h): d messages and d model copies per worker
      // directly, at most 4 of each for any lattice, 2(n-1)/n copies on the
      // complete graph.
      {.name = kDefaultAgreement,
       .summary = "a local step, then parameters averaged with the neighbours",
       .options = damping,
       .stages = adapt_then_combine},

      // Combine while adapting (decentralized Adam and its kin):
      //
      //   x_i(t+1) = sum_j W_ij(t) x_j(t)  -  lr * d_i(g_i(x_i(t)))
      //
      // The gradient is taken at the unmixed x_i(t), so x(t) can travel while
      // it is computed: the exchange of a bucket of x(t) starts when the step
      // before has finished that bucket, and has a whole iteration to hide in.
      // "From promise to practice" (arXiv 2410.11998). L2 decay and the
      // recorded norms use x_i(t); AdamW's decay acts on the mixed value.
      //
      // A step sends what the plan of W sends. The mean over workers moves as
      // that of adapt-then-combine does; replicas that begin equal do not stay
      // so, not even on the complete graph, since each takes its own step.
      {.name = "combine-while-adapt",
       .summary = "a local step while the parameters before it are averaged",
       .options = damping,
       .stages = combine_while_adapt},

      // Push-sum, stochastic gradient push (Assran, Loizou, Ballas, Rabbat
      // 2019):
      //
      //   y_i = z_i - (lr / w_i) * d_i(g_i(z_i))    the local rule
      //   z_i = sum_j A_ij w_j y_j / w'_i           w' = A w
      //
      // A need only be column-stochastic: every worker shares equally with
      // those it sends to (graph/push_schedule.h, which has the weights w).
      // With x_i = w_i z_i this is x <- A (x - lr d), so the mean of x moves by
      // the mean of the steps, however lopsided the graph is. The parameters
      // are z. If A is doubly stochastic, w = 1 and all this is
      // adapt-then-combine, bit for bit.
      //
      // The step sends what the plan of the mixing sends: outdegree messages
      // and model copies per worker; weights are computed, not sent.
      {.name = "push-sum",
       .summary =
           "adapt-then-combine on directed graphs, with push-sum weights",
       .graph = Agreement::Graph::kAny,
       .stages = adapt_then_combine},

      // Push-sum whose exchange hides behind the gradient, as that of
      // combine-while-adapt does:
      //
      //   z_i(t+1) = sum_j A_ij w_j z_j(t) / w'_i
      //              - (lr / w'_i) * d_i(g_i(z_i(t)))
      //
      // With x_i = w_i z_i this is x <- A x - lr d (overlap stochastic gradient
      // push, Assran et al. 2019, with one exchange in flight). If A is doubly
      // stochastic it is combine-while-adapt, bit for bit.
      {.name = "push-sum-overlapped",
       .summary = "push-sum, averaging while the next gradient is computed",
       .graph = Agreement::Graph::kAny,
       .stages = combine_while_adapt},

      // Gradient tracking, for data that differ between workers (DIGing: Nedic,
      // Olshevsky, Shi 2017; NEXT: Di Lorenzo, Scutari 2016):
      //
      //   y_i(t)   = g_i(t) + s_i(t-1)              the tracker, s_i(-1) = 0
      //   x_i(t+1) = sum_j W_ij (x_j - lr d_j(y_j(t)))
      //   s_i(t)   = sum_j W_ij y_j(t) - g_i(t)
      //
      // that is, y(t+1) = W y(t) + g(t+1) - g(t) and y(0) = g(0). The local
      // rule takes y_i in place of the gradient. sum_i y_i = sum_i g_i at every
      // step (sum_i s_i = 0), so each y_i goes to the mean gradient of all; a
      // worker whose own data want something else than the rest's is pulled
      // along, and with a constant lr the replicas go to the optimum of all,
      // where adapt-then-combine stays at a distance of order lr.
      //
      // One plane of state: s. Two planes travel, first the parameters as those
      // of adapt-then-combine do, then the trackers: twice the messages and
      // bytes of W's plan.
      {.name = "gradient-tracking",
       .summary =
           "adapt-then-combine with a running estimate of the mean gradient",
       .allows_clipping = false,
       .planes = {"tracker"},
       .stages =
           {transform(kReady, track),
            update(kReady),
            send(kReady, kX),
            send(kLate, kG),
            wait(kLate, kX),
            wait(kLate, kG),
            transform(kLate, keep_lead)}},

      // Randomized pairwise averaging, with or without the continuous momentum
      // of A2CiD2: gossip/dynamics.h.
      {.name = "gossip",
       .summary = "asynchronous: pairs of workers average at any time",
       .options = {"rate", "averagings", "continuous-momentum", "max-lag"},
       .graph = Agreement::Graph::kAny},
  };
}

size_t first_place(std::span<const Stage> stages, What what) {
  return std::ranges::find(stages, what, &Stage::what) - stages.begin();
}

bool is_synchronous(const Agreement& agreement) {
  return !agreement.is_asynchronous();
}

template <typename Predicate>
std::vector<std::string> names_of_those(const Predicate& holds) {
  std::vector<std::string> names;
  for (const Agreement& agreement : agreement_table()) {
    if (holds(agreement)) names.push_back(agreement.name);
  }
  return names;
}

} // namespace

std::span<float> plane_of(tensor::Arena& arena, Plane plane) {
  switch (plane) {
    case Plane::kParameters:
      return arena.parameters();
    case Plane::kGradients:
      return arena.gradients();
    case Plane::kBuffers:
      return arena.buffers();
    case Plane::kMovingAverage:
      return arena.state(arena.state_planes() - 1);
  }
  return {};
}

Plane Agreement::exchanged() const {
  return stages[first_place(stages, What::kSend)].plane;
}

int Agreement::planes_sent() const {
  return static_cast<int>(
      std::ranges::count(stages, What::kSend, &Stage::what));
}

bool Agreement::sends_ahead() const {
  return first_place(stages, What::kWait) < first_place(stages, What::kSend);
}

bool Agreement::updates_after_wait() const {
  return first_place(stages, What::kWait) < first_place(stages, What::kUpdate);
}

std::span<const Stage> Agreement::ready_stages() const {
  const auto late = std::ranges::find(stages, kLate, &Stage::when);
  return {stages.begin(), late};
}

std::vector<std::span<const Stage>> Agreement::late_passes() const {
  std::vector<std::span<const Stage>> passes;
  const size_t begin = ready_stages().size();
  for (size_t i = begin; i < stages.size(); ++i) {
    const bool begins = i == begin || stages[i].what == What::kSend ||
                        stages[i].what == What::kWait;
    if (begins) passes.emplace_back(&stages[i], 0);
    passes.back() = {passes.back().data(), passes.back().size() + 1};
  }
  return passes;
}

bool contains(std::span<const Stage> stages, What what) {
  return first_place(stages, what) < stages.size();
}

const std::vector<Option<AgreementOptions>>& agreement_options() {
  using O = AgreementOptions;
  static const std::vector<Option<O>> list = {
      number("rate", &O::rate, {0, 1000})
          .hashed_if_set()
          .says("gossip: averagings that a worker takes part in per gradient"),
      choice("averagings", &O::averagings, {"poisson", "exact"})
          .hashed_if_set()
          .says("gossip: number of averagings after a gradient: random, or as "
                "even as possible"),
      yes_no("continuous-momentum", &O::continuous_momentum)
          .hashed_if_set()
          .says(
              "gossip: A2CiD2's momentum, which mixes faster on sparse graphs"),
      integer("max-lag", &O::max_lag, {-1, kAnyMore})
          .hashed_if_set()
          .says("gossip: a worker that is more averagings behind computes no "
                "gradient; -1 = never waits"),
      number("mixing-power", &O::mixing_power, {0, 100})
          .hashed_if_set()
          .says(
              "DSGD-AC: mix by (lr / largest lr) to this power; 0 = mix fully"),
      number("mixing-floor", &O::mixing_floor, {0, 1})
          .hashed_if_set()
          .says("DSGD-AC: smallest mixing strength"),
  };
  return list;
}

double mixing_strength(const AgreementOptions& options, double share) {
  if (options.mixing_power == 0) return 1;
  return options.mixing_floor +
         (1 - options.mixing_floor) * std::pow(share, options.mixing_power);
}

const std::vector<Agreement>& agreement_table() {
  static const std::vector<Agreement> table = make_table();
  return table;
}

const Agreement& find_agreement(const std::string& name) {
  return find_row("agreement", name, agreement_table());
}

const Agreement& find_synchronous_agreement(const std::string& name) {
  check_choice("agreement", name, names_of_those(is_synchronous));
  return find_agreement(name);
}

std::vector<std::string> agreements_that(bool (Agreement::*trait)() const) {
  return names_of_those([&](const Agreement& it) { return (it.*trait)(); });
}

std::vector<std::string> state_planes(
    const Agreement& agreement,
    const algo::LocalRule& rule) {
  std::vector<std::string> names = rule.state_planes();
  names.insert(names.end(), agreement.planes.begin(), agreement.planes.end());
  return names;
}

} // namespace grapevine::algo
