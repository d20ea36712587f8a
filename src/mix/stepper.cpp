#include "mix/stepper.h"

#include "algo/clip.h"
#include "base/check.h"
#include "base/error.h"
#include "base/names.h"
#include "mix/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace grapevine::mix {
namespace {

using What = algo::Stage::What;

// Little enough to be in the first cache still when it is copied into the
// outbox.
constexpr int64_t kShownAtOnce = tensor::kBlock;

int64_t plane_bytes(const tensor::Layout& layout) {
  return layout.size() * static_cast<int64_t>(sizeof(float));
}

// Returns the order of worker 0, on all processes.
std::vector<int> agree_on_order(Cluster& cluster, std::span<const int> mine) {
  return from_bytes<int>(cluster.broadcast(to_bytes(mine)));
}

} // namespace

Stepper::Stepper(
    Cluster& cluster,
    std::vector<tensor::Arena*> arenas,
    const algo::Agreement& agreement,
    const algo::LocalRule& rule,
    const graph::Schedule& schedule,
    StepperOptions options)
    : cluster_(cluster),
      agreement_(agreement),
      rule_(rule),
      schedule_(schedule),
      options_(options),
      ready_stages_(agreement.ready_stages()),
      late_passes_(agreement.late_passes()),
      own_plane_(static_cast<int>(rule.state_planes().size())),
      plans_(plane_bytes(arenas.front()->layout()), options.workers_per_node),
      buffer_plans_(
          plane_bytes(arenas.front()->buffer_layout()),
          options.workers_per_node),
      buckets_(tensor::Buckets::whole(arenas.front()->layout())) {
  GV_CHECK_EQ(arenas.size(), cluster_.hosted().size());
  if (schedule_.weights(0) && !agreement_.carries_weights()) {
    throw ConfigError(fmt::format(
        "agreement {}: this directed graph keeps no mean without weights; use "
        "{}",
        agreement_.name,
        one_of(algo::agreements_that(&algo::Agreement::carries_weights))));
  }
  if (!agreement_.allows_clipping && options_.clip > 0) {
    throw ConfigError(fmt::format(
        "clip {}: {} follows the mean of all workers' gradients; clipped one "
        "by one their mean is another",
        options_.clip,
        agreement_.name));
  }
  for (int i = 0; i < static_cast<int>(arenas.size()); ++i) {
    lanes_.push_back(std::make_unique<Lane>(i, *arenas[i], [this, i](int b) {
      run(ready_stages_, *lanes_[i], b);
    }));
  }
}

Stepper::~Stepper() = default;

void Stepper::step(const StepRequest& request) {
  try {
    take_step(request);
  } catch (...) {
    cluster_.abandon();
    throw;
  }
}

void Stepper::take_step(const StepRequest& request) {
  const int64_t step = request.moment.step;
  cluster_.set_step(step);
  observer_ = request.observer;
  strength_ = request.mixing_strength;
  begin_lanes(request);
  const auto mixing = schedule_.at(request.moment);
  plan_ = plans_.get(*mixing);
  if (options_.check) check_weights(step, *mixing);

  const bool traces = !is_traced_ && cluster_.overlaps();
  if (traces) trace_first_step(request);
  begin_exchanges(request);
  const auto compute_one = [&](int index) { compute(index, request, traces); };
  cluster_.for_each(std::ref(compute_one)); // a function of it allocates
  if (sending_ != nullptr) sending_->settle();
  for (const Stages pass : late_passes_)
    run_late(pass, request);

  if (options_.average_buffers &&
      lanes_.front()->arena.buffer_layout().size() > 0) {
    cluster_.mix(*buffer_plans_.get(*mixing), algo::Plane::kBuffers);
  }
  if (options_.check) check_step(step, *mixing);
}

void Stepper::begin_lanes(const StepRequest& request) {
  // What the rule changes is what is sent, or what has come.
  const int64_t weighed =
      request.moment.step + (agreement_.updates_after_wait() ? 1 : 0);
  for (const auto& lane : lanes_) {
    lane->info = {
        .step = request.moment.step,
        .lr = request.lr / weight(*lane, weighed),
        .gradient_scale = 1};
    lane->update_seconds = 0;
    lane->measures.begin(lane->arena.layout(), request.measure, options_.check);
    lane->queue.begin(buckets_);
  }
}

void Stepper::trace_first_step(const StepRequest& request) {
  Lane& lane = *lanes_.front();
  OrderTracer tracer;
  request.compute_gradient(lane.index, &tracer);
  const tensor::Layout& layout = lane.arena.layout();
  const auto order = tracer.order(static_cast<int>(layout.tensors().size()));
  buckets_ = tensor::Buckets(
      layout,
      agree_on_order(cluster_, order),
      options_.bucket_bytes);
  cluster_.set_buckets(buckets_);
  is_traced_ = true;
  lane.queue.begin(buckets_);
}

void Stepper::begin_exchanges(const StepRequest& request) {
  const algo::Plane plane = agreement_.exchanged();
  if (!agreement_.sends_ahead()) {
    sending_ = arriving(plane) = &begin(plane, plan_, request.moment.step);
    return;
  }
  // The one of this step was begun by the step before, unless there is none.
  if (ahead_ == nullptr) {
    ahead_step_ = request.moment.step;
    ahead_ = &send_all(plane, plan_, ahead_step_);
  }
  GV_CHECK_EQ(ahead_step_, request.moment.step);
  arriving(plane) = std::exchange(ahead_, nullptr);
  if (request.next) {
    ahead_step_ = request.next->step;
    auto plan = plans_.get(*schedule_.at(*request.next));
    ahead_ = &begin(plane, std::move(plan), ahead_step_);
  }
  sending_ = ahead_;
}

Exchange& Stepper::begin(algo::Plane plane, PlanPtr plan, int64_t step) {
  return cluster_.begin(
      {.plan = std::move(plan),
       .plane = plane,
       .in_place = !agreement_.sends_ahead(),
       .step = step});
}

Exchange& Stepper::send_all(algo::Plane plane, PlanPtr plan, int64_t step) {
  Exchange& exchange = begin(plane, std::move(plan), step);
  for (const auto& lane : lanes_)
    exchange.release(lane->index, buckets_.size() - 1);
  exchange.settle();
  return exchange;
}

bool Stepper::updates_late() const {
  return !algo::contains(ready_stages_, What::kUpdate);
}

void Stepper::compute(int index, const StepRequest& request, bool is_computed) {
  Lane& lane = *lanes_[index];
  // The norm of the worker's own gradient is known only after backward.
  const bool clips = options_.clip > 0 && !updates_late();
  const bool listens = cluster_.overlaps() && !clips;
  if (!is_computed) {
    request.compute_gradient(index, listens ? &lane.queue : nullptr);
  }
  if (clips)
    lane.info.gradient_scale = algo::clip_factor(lane.arena, options_.clip);
  lane.queue.flush();
}

void Stepper::run_late(Stages pass, const StepRequest& request) {
  if (pass.front().what == What::kSend) {
    // After the exchange that is still in progress.
    const algo::Plane plane = pass.front().plane;
    arriving(plane) = &send_all(plane, plan_, request.moment.step);
    return;
  }
  cluster_.for_each([&](int index) { run_pass(pass, *lanes_[index]); });
}

void Stepper::run_pass(Stages pass, Lane& lane) {
  const auto run_on_all = [&](Stages stages) {
    for (int bucket = 0; bucket < buckets_.size(); ++bucket)
      run(stages, lane, bucket);
  };
  const bool clips = options_.clip > 0 && algo::contains(pass, What::kUpdate);
  if (!clips) return run_on_all(pass);
  // The norm of an averaged gradient is known only once all of it is there.
  run_on_all(pass.first(1));
  lane.info.gradient_scale = algo::clip_factor(lane.arena, options_.clip);
  run_on_all(pass.subspan(1));
}

void Stepper::run(Stages stages, Lane& lane, int bucket) {
  const bool begins = stages.data() == ready_stages_.data();
  if (begins && lane.measures.wants_everything()) {
    for (const Range& range : buckets_.ranges(bucket))
      lane.measures.add_gradients(lane.arena, range);
  }
  tensor::MixTerms mix;
  for (const algo::Stage& stage : stages) {
    switch (stage.what) {
      case What::kTransform:
        for (const Range& range : buckets_.ranges(bucket))
          stage.transform(lane.arena, own_plane_, range);
        break;
      case What::kUpdate:
        update(lane, bucket, mix);
        break;
      case What::kSend:
        measure_mixing(stage, lane, bucket, {});
        if (strength_ != 1) keep_unmixed(lane, bucket);
        if (sending_ != nullptr) sending_->release(lane.index, bucket);
        break;
      case What::kWait:
        mix = wait_for(stage.plane, lane.index, bucket);
        if (strength_ != 1) mix = damp(lane, bucket, mix);
        measure_mixing(stage, lane, bucket, mix);
        break;
    }
  }
}

void Stepper::measure_mixing(
    const algo::Stage& stage,
    Lane& lane,
    int bucket,
    const tensor::MixTerms& mix) {
  if (!lane.measures.wants_sums() || stage.plane != agreement_.exchanged()) {
    return;
  }
  // A plane that is sent ahead is still there when it has been mixed.
  const bool is_wait = stage.what == What::kWait;
  const bool is_before = is_wait == agreement_.sends_ahead();
  const auto& layout = lane.arena.layout();
  const auto plane = algo::plane_of(lane.arena, stage.plane);
  for (const Range& range : buckets_.ranges(bucket)) {
    if (is_before) lane.measures.add_before(layout, plane, range);
    if (is_wait) lane.measures.add_after(layout, plane, mix, range);
  }
}

tensor::MixTerms Stepper::wait_for(algo::Plane plane, int index, int bucket) {
  const auto begin = Clock::now();
  const tensor::MixTerms mix = arriving(plane)->wait(index, bucket);
  if (observer_ != nullptr && cluster_.overlaps()) {
    observer_->waited(index, bucket, begin, cluster_.costs().waited_for);
  }
  return mix;
}

void Stepper::keep_unmixed(Lane& lane, int bucket) {
  if (agreement_.sends_ahead()) return; // which leaves x as it is
  const auto plane = algo::plane_of(lane.arena, agreement_.exchanged());
  lane.unmixed.resize(plane.size());
  for (const Range& range : buckets_.ranges(bucket)) {
    std::copy_n(
        plane.data() + range.begin,
        range.size(),
        lane.unmixed.data() + range.begin);
  }
}

tensor::MixTerms
Stepper::damp(Lane& lane, int bucket, const tensor::MixTerms& mix) const {
  const auto plane = algo::plane_of(lane.arena, agreement_.exchanged());
  lane.unmixed.resize(plane.size());
  lane.damped = lane.unmixed.data();
  const std::array<float, 2> weights = {
      static_cast<float>(1 - strength_),
      static_cast<float>(strength_)};
  for (const Range& range : buckets_.ranges(bucket)) {
    if (agreement_.sends_ahead()) {
      tensor::mixed_value(
          lane.unmixed.data() + range.begin,
          mix,
          range.begin,
          range.size());
    }
    const bool ahead = agreement_.sends_ahead();
    const std::array<const float*, 2> terms = {
        ahead ? plane.data() : lane.unmixed.data(),
        ahead ? lane.unmixed.data() : plane.data()};
    float* result = ahead ? lane.unmixed.data() : plane.data();
    tensor::weighted_sum(
        result + range.begin,
        terms,
        weights,
        range.begin,
        range.size());
  }
  if (!agreement_.sends_ahead()) return {};
  return {.terms = {&lane.damped, 1}};
}

void Stepper::update(Lane& lane, int bucket, const tensor::MixTerms& mix) {
  // For what the update leaves of the parameters, if that is sent next.
  float* outbox = sending_ != nullptr && !updates_late()
                      ? sending_->outbox(lane.index, bucket)
                      : nullptr;
  // If nobody looks at them before they are mixed, the parameters need not be
  // in their own place before that.
  const bool is_moved = outbox != nullptr && !agreement_.sends_ahead() &&
                        strength_ == 1 && !lane.measures.wants_sums() &&
                        !lane.measures.wants_everything();
  lane.info.result = is_moved ? outbox : nullptr;
  const auto start = Clock::now();
  const auto update_range = [&](Range range) {
    rule_.update(
        lane.arena,
        range,
        lane.info,
        mix,
        lane.measures.parameter_squares());
  };
  const auto update_and_show = [&](Range range) {
    if (outbox == nullptr || is_moved) return update_range(range);
    const float* value = lane.arena.parameters().data();
    for (int64_t at = range.begin; at < range.end; at += kShownAtOnce) {
      const Range piece{at, std::min(at + kShownAtOnce, range.end)};
      update_range(piece);
      std::copy_n(value + at, piece.size(), outbox + at);
    }
  };
  for (const Range& range : buckets_.ranges(bucket)) {
    if (lane.measures.wants_everything()) {
      lane.measures.measure_update(lane.arena, range, mix, update_and_show);
    } else {
      update_and_show(range);
    }
  }
  lane.update_seconds += seconds_since(start);
  if (observer_ != nullptr) observer_->updated(lane.index, bucket, start);
}

void Stepper::parameters_replaced() {
  cluster_.drop();
  ahead_ = nullptr;
}

StepMeasures::Squares Stepper::squares(int index) const {
  const Lane& lane = *lanes_[index];
  return lane.measures.squares(lane.arena.layout());
}

double Stepper::update_seconds(int index) const {
  return lanes_[index]->update_seconds;
}

double Stepper::weight(const Lane& lane, int64_t step) const {
  const auto weights = schedule_.weights(step);
  return weights ? (*weights)[cluster_.hosted()[lane.index]] : 1;
}

} // namespace grapevine::mix
