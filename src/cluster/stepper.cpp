#include "cluster/stepper.h"

#include "base/check.h"
#include "cluster/clock.h"
#include "cluster/invariants.h"
#include "kernel/elementwise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::cluster {
namespace {

int64_t plane_bytes(const arena::Layout& layout) {
  return layout.size() * static_cast<int64_t>(sizeof(float));
}

Rows zeros(size_t workers, size_t tensors) {
  return Rows(workers, std::vector<double>(tensors));
}

} // namespace

Stepper::Stepper(
    Cluster& cluster,
    std::vector<arena::Arena*> arenas,
    const algo::Agreement& agreement,
    const graph::Schedule& schedule,
    StepperOptions options)
    : cluster_(cluster),
      arenas_(std::move(arenas)),
      agreement_(agreement),
      schedule_(schedule),
      options_(options),
      plans_(plane_bytes(arenas_.front()->layout())),
      buffer_plans_(plane_bytes(arenas_.front()->buffer_layout())) {
  GV_CHECK_EQ(arenas_.size(), cluster_.hosted().size());
}

void Stepper::step(const StepRequest& request) {
  cluster_.set_step(request.moment.step);
  make_room(request.measure);
  update_seconds_.assign(arenas_.size(), 0);
  if (options_.check) {
    const size_t tensors = arenas_.front()->layout().tensors().size();
    sums_before_ = zeros(arenas_.size(), tensors);
    sums_after_ = sums_before_;
    magnitudes_ = sums_before_;
  }
  const auto mixing = schedule_.at(request.moment);
  plan_ = plans_.get(*mixing);
  if (options_.check && mixing->digest() != checked_weights_) {
    check_doubly_stochastic(*mixing, request.moment.step);
    checked_weights_ = mixing->digest();
  }

  exchange(request);
  fold_squares();

  if (options_.average_buffers && arenas_.front()->buffer_layout().size() > 0) {
    cluster_.mix(*buffer_plans_.get(*mixing), algo::Plane::kBuffers, {});
  }
  if (options_.check) {
    check_mean(request.moment.step);
    if (agreement_.keeps_replicas_equal() &&
        mixing->form() == graph::Mixing::Form::kComplete) {
      check_equal(request.moment.step);
    }
  }
}

void Stepper::exchange(const StepRequest& request) {
  std::vector<optim::StepInfo> infos(
      arenas_.size(),
      {.step = request.moment.step, .lr = request.lr, .gradient_scale = 1});
  const bool gradients_travel =
      agreement_.exchanged() == algo::Plane::kGradients;
  // The norm of an averaged gradient is known only once all of it is there.
  const bool update_late = options_.clip > 0 && gradients_travel;

  const auto after = [&](int index, Range range) {
    act(Part::kAfter, index, range, infos[index]);
  };
  MixHooks hooks;
  hooks.prepare = [&](int index) {
    request.compute_gradient(index);
    if (request.measure == Measure::kEverything) {
      const arena::Arena& arena = *arenas_[index];
      squares_[index].gradients =
          arena::squared_norms(arena.layout(), arena.gradients());
    }
    if (options_.clip > 0 && !gradients_travel) {
      infos[index].gradient_scale = clip_factor(index);
    }
  };
  hooks.before = [&](int index, Range range) {
    act(Part::kBefore, index, range, infos[index]);
    if (options_.check) record_sums(sums_before_, index, range);
  };
  hooks.after = [&](int index, Range range) {
    if (options_.check) record_sums(sums_after_, index, range);
    if (!update_late) after(index, range);
  };
  cluster_.mix(*plan_, agreement_.exchanged(), hooks);

  if (update_late) {
    cluster_.for_each([&](int index) {
      infos[index].gradient_scale = clip_factor(index);
      after(index, {0, arenas_[index]->layout().size()});
    });
  }
}

void Stepper::make_room(Measure measure) {
  const size_t tensors = arenas_.front()->layout().tensors().size();
  const std::vector<double> nothing;
  const std::vector<double> places(tensors);
  const bool all = measure == Measure::kEverything;
  squares_.assign(
      arenas_.size(),
      {.parameters = nothing,
       .gradients = nothing,
       .updates = all ? places : nothing});
  const int64_t blocks = arenas_.front()->layout().blocks();
  block_squares_.assign(
      arenas_.size(),
      std::vector<double>(measure == Measure::kNothing ? 0 : blocks));
}

void Stepper::fold_squares() {
  for (size_t i = 0; i < arenas_.size(); ++i) {
    if (block_squares_[i].empty()) continue;
    squares_[i].parameters =
        arena::fold_blocks(arenas_[i]->layout(), block_squares_[i]);
  }
}

void Stepper::act(
    Part part,
    int index,
    Range range,
    const optim::StepInfo& info) {
  const bool is_update = (part == Part::kBefore) == agreement_.adapts_first();
  const auto start = Clock::now();
  if (is_update && !squares_[index].updates.empty()) {
    measured_act(part, index, range, info);
  } else {
    plain_act(part, index, range, info);
  }
  update_seconds_[index] += seconds_since(start);
}

void Stepper::plain_act(
    Part part,
    int index,
    Range range,
    const optim::StepInfo& info) {
  arena::Arena& arena = *arenas_[index];
  const std::span<double> squares = block_squares_[index];
  if (part == Part::kBefore) {
    agreement_.before_exchange(arena, range, info, squares);
  } else {
    agreement_.after_exchange(arena, range, info, squares);
  }
}

// In pieces that fit into the cache together with their old values.
void Stepper::measured_act(
    Part part,
    int index,
    Range range,
    const optim::StepInfo& info) {
  arena::Arena& arena = *arenas_[index];
  Squares& squares = squares_[index];
  constexpr int64_t kPiece = 16 * arena::kBlock;
  const auto old =
      std::make_unique_for_overwrite<float[]>(std::min(kPiece, range.size()));
  const float* now = arena.parameters().data();
  for (int64_t at = range.begin; at < range.end; at += kPiece) {
    const Range piece{at, std::min(at + kPiece, range.end)};
    std::copy_n(now + at, piece.size(), old.get());
    plain_act(part, index, piece, info);
    arena.layout().for_each_block(piece, [&](int tensor, Range block, int64_t) {
      const float* before = old.get() + (block.begin - at);
      squares.updates[tensor] += kernel::sum_of_squared_differences(
          now + block.begin,
          before,
          block.size());
    });
  }
}

double Stepper::clip_factor(int index) const {
  const arena::Arena& arena = *arenas_[index];
  const std::vector<double> squares =
      arena::squared_norms(arena.layout(), arena.gradients());
  const double norm =
      std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  // As torch's clip_grad_norm_ has it.
  return std::min(1.0, options_.clip / (norm + 1e-6));
}

void Stepper::record_sums(Rows& sums, int index, Range range) {
  arena::Arena& arena = *arenas_[index];
  const std::span<const float> plane =
      algo::plane_of(arena, agreement_.exchanged());
  arena.layout().for_each_block(range, [&](int tensor, Range block, int64_t) {
    const float* values = plane.data() + block.begin;
    sums[index][tensor] += kernel::sum(values, block.size());
    if (&sums == &sums_before_) {
      // By Cauchy-Schwarz an upper bound of the sum of absolute values.
      magnitudes_[index][tensor] += std::sqrt(
          kernel::sum_of_squares(values, block.size()) *
          static_cast<double>(block.size()));
    }
  });
}

void Stepper::check_mean(int64_t step) const {
  check_mean_preserved(
      arenas_.front()->layout(),
      cluster_.all_gather(sums_before_),
      cluster_.all_gather(sums_after_),
      cluster_.all_gather(magnitudes_),
      step);
}

void Stepper::check_equal(int64_t step) const {
  Rows mine;
  for (const arena::Arena* arena : arenas_) {
    mine.push_back(tensor_fingerprints(arena->layout(), arena->parameters()));
  }
  check_replicas_equal(
      arenas_.front()->layout(),
      cluster_.all_gather(mine),
      step);
}

} // namespace grapevine::cluster
