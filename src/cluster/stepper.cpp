#include "cluster/stepper.h"

#include "base/check.h"
#include "base/error.h"
#include "cluster/clock.h"
#include "cluster/stepper_lane.h"
#include "optim/clip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace grapevine::cluster {
namespace {

// Little enough to be in the first cache still when it is copied into the
// outbox.
constexpr int64_t kShownAtOnce = arena::kBlock;

int64_t plane_bytes(const arena::Layout& layout) {
  return layout.size() * static_cast<int64_t>(sizeof(float));
}

// The order of worker 0, on all processes.
std::vector<int> agree_on_order(Cluster& cluster, std::span<const int> mine) {
  std::istringstream text(
      cluster.broadcast(fmt::format("{}", fmt::join(mine, " "))));
  std::vector<int> order;
  for (int tensor = 0; text >> tensor;)
    order.push_back(tensor);
  return order;
}

} // namespace

Stepper::Stepper(
    Cluster& cluster,
    std::vector<arena::Arena*> arenas,
    const algo::Agreement& agreement,
    const graph::Schedule& schedule,
    StepperOptions options)
    : cluster_(cluster),
      agreement_(agreement),
      schedule_(schedule),
      options_(options),
      plans_(plane_bytes(arenas.front()->layout()), options.workers_per_node),
      buffer_plans_(
          plane_bytes(arenas.front()->buffer_layout()),
          options.workers_per_node),
      buckets_(arena::Buckets::whole(arenas.front()->layout())) {
  GV_CHECK_EQ(arenas.size(), cluster_.hosted().size());
  if (schedule_.weights(0) && !agreement_.takes_weights()) {
    throw ConfigError(fmt::format(
        "agreement {}: this directed graph keeps no mean without weights; use "
        "push-sum or push-sum-overlapped",
        agreement_.name()));
  }
  if (agreement_.exchanges_gradients_too() && options_.clip > 0) {
    throw ConfigError(fmt::format(
        "clip {}: {} follows the mean of all workers' gradients; clipped one "
        "by one their mean is another",
        options_.clip,
        agreement_.name()));
  }
  for (int i = 0; i < static_cast<int>(arenas.size()); ++i) {
    lanes_.push_back(std::make_unique<Lane>(i, *arenas[i], [this, i](int b) {
      take_bucket(i, b);
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
  begin_lanes(request);
  const auto mixing = schedule_.at(request.moment);
  plan_ = plans_.get(*mixing);
  if (options_.check) check_weights(step, *mixing);

  if (!traced_ && cluster_.overlaps()) trace_first_step(request);
  begin_exchange(request);
  cluster_.for_each([&](int index) { run_lane(index, request); });
  if (releases_) cluster_.settle();
  const bool gradients_too = agreement_.exchanges_gradients_too();
  if (gradients_too) begin_gradients(request);
  if (!agreement_.exchanges_ahead()) {
    cluster_.for_each([&](int index) { finish_lane(index); });
  }
  if (gradients_too) {
    cluster_.for_each([&](int index) { finish_gradients(index); });
  }
  computed_ = false;

  if (options_.average_buffers &&
      lanes_.front()->arena.buffer_layout().size() > 0) {
    cluster_.mix(*buffer_plans_.get(*mixing), algo::Plane::kBuffers);
  }
  if (options_.check) check_step(step, *mixing);
}

void Stepper::begin_lanes(const StepRequest& request) {
  // What the rule changes is what is sent, or what has come.
  const int64_t weighed =
      request.moment.step + (agreement_.adapts_first() ? 0 : 1);
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
  computed_ = true;
  const arena::Layout& layout = lane.arena.layout();
  const auto order = tracer.order(static_cast<int>(layout.tensors().size()));
  buckets_ = arena::Buckets(
      layout,
      agree_on_order(cluster_, order),
      options_.bucket_bytes);
  cluster_.set_buckets(buckets_);
  traced_ = true;
  lane.queue.begin(buckets_);
}

void Stepper::begin_exchange(const StepRequest& request) {
  const bool ahead = agreement_.exchanges_ahead();
  ExchangeRequest exchange{
      .plan = plan_,
      .plane = agreement_.exchanged(),
      .in_place = !ahead,
      .step = request.moment.step};
  releases_ = true;
  if (!ahead) {
    cluster_.begin(exchange);
    return;
  }
  if (!ahead_) {
    cluster_.begin(exchange);
    for (const auto& lane : lanes_)
      cluster_.release(lane->index, buckets_.size() - 1);
    cluster_.settle();
  } else {
    GV_CHECK_EQ(*ahead_, request.moment.step);
  }
  ahead_.reset();
  releases_ = request.next.has_value();
  if (!releases_) return;
  exchange.plan = plan_at(*request.next);
  exchange.step = request.next->step;
  cluster_.begin(exchange);
  ahead_ = exchange.step;
}

std::shared_ptr<const comm::Plan> Stepper::plan_at(
    const graph::Moment& moment) {
  return plans_.get(*schedule_.at(moment));
}

bool Stepper::updates_late() const {
  return options_.clip > 0 && agreement_.exchanged() == algo::Plane::kGradients;
}

void Stepper::run_lane(int index, const StepRequest& request) {
  Lane& lane = *lanes_[index];
  // The norm of the worker's own gradient is known only after backward.
  const bool clips = options_.clip > 0 && !updates_late();
  const bool listens = cluster_.overlaps() && !clips;
  if (!computed_) {
    request.compute_gradient(index, listens ? &lane.queue : nullptr);
  }
  if (clips)
    lane.info.gradient_scale = optim::clip_factor(lane.arena, options_.clip);
  lane.queue.flush();
}

void Stepper::take_bucket(int index, int bucket) {
  Lane& lane = *lanes_[index];
  const auto& layout = lane.arena.layout();
  const auto plane = algo::plane_of(lane.arena, agreement_.exchanged());
  const auto ranges = buckets_.ranges(bucket);
  if (lane.measures.wants_everything()) {
    for (const Range& range : ranges)
      lane.measures.add_gradients(lane.arena, range);
  }
  if (agreement_.exchanges_ahead()) {
    const kernel::MixTerms mix = wait_for(index, bucket);
    if (lane.measures.wants_sums()) {
      for (const Range& range : ranges) {
        lane.measures.add_before(layout, plane, range);
        lane.measures.add_after(layout, plane, mix, range);
      }
    }
    act(Part::kAfter, lane, bucket, mix);
  } else {
    act(Part::kBefore, lane, bucket);
    if (lane.measures.wants_sums()) {
      for (const Range& range : ranges)
        lane.measures.add_before(layout, plane, range);
    }
  }
  if (releases_) cluster_.release(index, bucket);
}

void Stepper::finish_lane(int index) {
  Lane& lane = *lanes_[index];
  const bool late = updates_late();
  for (int bucket = 0; bucket < buckets_.size(); ++bucket) {
    wait_for(index, bucket);
    if (lane.measures.wants_sums()) {
      for (const Range& range : buckets_.ranges(bucket)) {
        lane.measures.add_after(
            lane.arena.layout(),
            algo::plane_of(lane.arena, agreement_.exchanged()),
            {},
            range);
      }
    }
    if (!late) act(Part::kAfter, lane, bucket);
  }
  if (!late) return;
  // The norm of an averaged gradient is known only once all of it is there.
  lane.info.gradient_scale = optim::clip_factor(lane.arena, options_.clip);
  for (int bucket = 0; bucket < buckets_.size(); ++bucket)
    act(Part::kAfter, lane, bucket);
}

// Behind the exchange of the parameters, which is still under way.
void Stepper::begin_gradients(const StepRequest& request) {
  cluster_.begin(
      {.plan = plan_,
       .plane = algo::Plane::kGradients,
       .in_place = true,
       .step = request.moment.step});
  for (const auto& lane : lanes_)
    cluster_.release(lane->index, buckets_.size() - 1);
  cluster_.settle();
}

void Stepper::finish_gradients(int index) {
  Lane& lane = *lanes_[index];
  for (int bucket = 0; bucket < buckets_.size(); ++bucket) {
    wait_for(index, bucket);
    for (const Range& range : buckets_.ranges(bucket))
      agreement_.after_gradients(lane.arena, range);
  }
}

kernel::MixTerms Stepper::wait_for(int index, int bucket) {
  const auto begin = Clock::now();
  const kernel::MixTerms mix = cluster_.wait(index, bucket);
  if (observer_ != nullptr && cluster_.overlaps()) {
    observer_->waited(index, bucket, begin, cluster_.waited_for());
  }
  return mix;
}

void Stepper::act(
    Part part,
    Lane& lane,
    int bucket,
    const kernel::MixTerms& mix) {
  const bool is_update = (part == Part::kBefore) == agreement_.adapts_first();
  float* outbox = is_update ? outbox_of(part, lane, bucket) : nullptr;
  // Where nobody looks at them before they are mixed, the parameters need not
  // be in their own place before that.
  const bool is_moved = outbox != nullptr && !agreement_.exchanges_ahead() &&
                        !lane.measures.wants_sums() &&
                        !lane.measures.wants_everything();
  lane.info.result = is_moved ? outbox : nullptr;
  const auto start = Clock::now();
  const auto agree_on = [&](Range range) {
    if (outbox == nullptr || is_moved) {
      agree(part, lane, range, mix);
    } else {
      agree_and_show(part, lane, range, mix, outbox);
    }
  };
  for (const Range& range : buckets_.ranges(bucket)) {
    if (is_update && lane.measures.wants_everything()) {
      lane.measures.measure_update(lane.arena, range, mix, agree_on);
    } else {
      agree_on(range);
    }
  }
  lane.update_seconds += seconds_since(start);
  if (is_update && observer_ != nullptr) {
    observer_->updated(lane.index, bucket, start);
  }
}

float* Stepper::outbox_of(Part part, const Lane& lane, int bucket) {
  const bool is_released_next =
      releases_ && (part == Part::kBefore || agreement_.exchanges_ahead());
  return is_released_next && agreement_.exchanged() == algo::Plane::kParameters
             ? cluster_.outbox(lane.index, bucket)
             : nullptr;
}

void Stepper::agree(
    Part part,
    Lane& lane,
    Range range,
    const kernel::MixTerms& mix) {
  const std::span<double> squares = lane.measures.parameter_squares();
  if (part == Part::kBefore) {
    agreement_.before_exchange(lane.arena, range, lane.info, squares);
  } else {
    agreement_.after_exchange(lane.arena, range, lane.info, mix, squares);
  }
}

void Stepper::agree_and_show(
    Part part,
    Lane& lane,
    Range range,
    const kernel::MixTerms& mix,
    float* outbox) {
  const float* value = lane.arena.parameters().data();
  for (int64_t at = range.begin; at < range.end; at += kShownAtOnce) {
    const Range piece{at, std::min(at + kShownAtOnce, range.end)};
    agree(part, lane, piece, mix);
    std::copy_n(value + at, piece.size(), outbox + at);
  }
}

void Stepper::parameters_replaced() {
  cluster_.drop();
  ahead_.reset();
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

} // namespace grapevine::cluster
