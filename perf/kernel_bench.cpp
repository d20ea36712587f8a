// The fused passes (mixing + SGD momentum, mixing + AdamW) against what memory
// allows, and against torch's optimizers on ResNet50's tensors. One thread.
#include "base/aligned.h"
#include "base/random.h"
#include "perf/bench.h"
#include "run/worker.h"
#include "tensor/kernels/adam.h"
#include "tensor/kernels/sgd.h"

#include <torch/torch.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cmath>
#include <functional>

namespace grapevine::perf {
namespace {

constexpr int64_t kFloats = 25'000'000;
constexpr int64_t kResnet50 = 25'557'032; // parameters
constexpr int kTurns = 9;

// STREAM's triad. Plain stores would first read what they overwrite, a fourth
// stream that nobody counts; these do not, which makes it the stronger rival.
void triad(float* a, const float* b, const float* c, int64_t count) {
#if defined(__x86_64__)
  const __m128 half = _mm_set1_ps(0.5F);
  for (int64_t i = 0; i < count; i += 4) {
    const __m128 product = _mm_mul_ps(half, _mm_load_ps(c + i));
    _mm_stream_ps(a + i, _mm_add_ps(_mm_load_ps(b + i), product));
  }
  _mm_sfence();
#else
  for (int64_t i = 0; i < count; ++i)
    a[i] = b[i] + 0.5F * c[i];
#endif
}

void fill(AlignedFloats& plane, uint64_t stream) {
  Random random(1, Purpose::kTest, stream);
  for (float& value : plane.span()) {
    value = static_cast<float>(random.uniform() - 0.5);
  }
}

struct Planes {
  AlignedFloats x{kResnet50};
  AlignedFloats inbox{kResnet50};
  AlignedFloats g{kResnet50};
  AlignedFloats m{kResnet50};
  AlignedFloats v{kResnet50};

  Planes() {
    fill(x, 1);
    fill(inbox, 2);
    fill(g, 3);
    fill(m, 4);
    fill(v, 5);
    for (float& value : v.span())
      value *= value;
  }
};

tensor::AdamStep adamw_step() {
  return {
      .keep = 0.9999F,
      .beta1 = 0.9F,
      .rest1 = 0.1F,
      .beta2 = 0.999F,
      .rest2 = 0.001F,
      .step_size = 1e-3F,
      .root_correction = 0.9F,
      .eps = 1e-8F};
}

// Mixing of x and the inbox fused with one step on `count` elements.
void sgd_step(Planes& planes, int64_t count) {
  const float* terms[] = {planes.x.data(), planes.inbox.data()};
  tensor::sgd_update(
      {.x = planes.x.data(),
       .result = planes.x.data(),
       .g = planes.g.data(),
       .m = planes.m.data()},
      0,
      count,
      {.lr = 0.01F, .momentum = 0.9F},
      {.terms = terms, .scale = 0.5F});
}

void adamw_step(Planes& planes, int64_t count) {
  const float* terms[] = {planes.x.data(), planes.inbox.data()};
  tensor::adam_update(
      {.x = planes.x.data(),
       .result = planes.x.data(),
       .g = planes.g.data(),
       .m = planes.m.data(),
       .v = planes.v.data()},
      0,
      count,
      adamw_step(),
      {.terms = terms, .scale = 0.5F});
}

// Ours must compute what the formula says before it is timed.
void verify(Planes& planes) {
  const int64_t at = 12'345'678;
  const float* x = planes.x.data() + at;
  const float* inbox = planes.inbox.data() + at;
  const float g = planes.g.data()[at];
  float m = planes.m.data()[at] * 0.9F + g;
  float expected = std::fma(m, -0.01F, (*x + *inbox) * 0.5F);
  sgd_step(planes, kFloats);
  bool right = *x == expected;

  const tensor::AdamStep o = adamw_step();
  m = std::fma(g, o.rest1, planes.m.data()[at] * o.beta1);
  const float v = std::fma(o.rest2 * g, g, planes.v.data()[at] * o.beta2);
  expected = (*x + *inbox) * 0.5F * o.keep +
             -o.step_size * m / (std::sqrt(v) / o.root_correction + o.eps);
  adamw_step(planes, kFloats);
  right = right && *x == expected;
  if (!right) throw std::runtime_error("a fused step computes something else");
}

class Triad {
 public:
  Triad() {
    // Untouched pages would all be the kernel's one page of zeros.
    fill(a_, 6);
    fill(b_, 7);
    fill(c_, 8);
  }

  // `streams`: planes of kFloats that ours reads and writes.
  Row against(
      const std::string& name,
      int streams,
      const std::string& goal,
      const std::function<void()>& ours) {
    const Turns turns = take_turns(kTurns, ours, [&] {
      triad(a_.data(), b_.data(), c_.data(), kLength);
    });
    constexpr double kBytes = sizeof(float);
    return bandwidth_row(
        name,
        turns,
        kBytes * kFloats * streams,
        kBytes * kLength * 3,
        goal);
  }

 private:
  // Not near a power of two: arrays that lie one apart get in each other's way
  // (measured: at 2^28 bytes half the bandwidth is left).
  static constexpr int64_t kLength = 2 * kFloats;
  AlignedFloats a_{kLength};
  AlignedFloats b_{kLength};
  AlignedFloats c_{kLength};
};

// The parameter shapes of ResNet50 (25,557,032 in 161 tensors).
std::vector<std::vector<int64_t>> resnet50_shapes() {
  std::vector<std::vector<int64_t>> shapes = {{64, 3, 7, 7}, {64}, {64}};
  int64_t in = 64;
  const int64_t widths[] = {64, 128, 256, 512};
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t width = widths[stage];
    const int64_t out = 4 * width;
    for (int block = 0; block < blocks[stage]; ++block) {
      const auto add = [&](std::vector<int64_t> conv) {
        const int64_t channels = conv[0];
        shapes.push_back(std::move(conv));
        shapes.push_back({channels});
        shapes.push_back({channels});
      };
      add({width, in, 1, 1});
      add({width, width, 3, 3});
      add({out, width, 1, 1});
      if (block == 0) add({out, in, 1, 1});
      in = out;
    }
  }
  shapes.push_back({1000, 2048});
  shapes.push_back({1000});
  return shapes;
}

// A replica's tensors, with gradients and an inbox each, as torch has them.
struct Tensors {
  std::vector<torch::Tensor> parameters;
  std::vector<torch::Tensor> inbox;

  Tensors() {
    int64_t total = 0;
    for (const auto& shape : resnet50_shapes()) {
      torch::Tensor parameter = torch::randn(shape).requires_grad_();
      parameter.mutable_grad() = torch::randn(shape);
      parameters.push_back(parameter);
      inbox.push_back(torch::randn(shape));
      total += parameter.numel();
    }
    if (total != kResnet50) throw std::runtime_error("not ResNet50's shapes");
  }

  // Mixing tensor by tensor, then the optimizer.
  void step(torch::optim::Optimizer& optimizer) {
    const torch::NoGradGuard no_grad;
    for (size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].add_(inbox[i]).mul_(0.5);
    }
    optimizer.step();
  }
};

template <typename Optimizer, typename Options>
Row against_torch(
    const std::string& name,
    const std::string& goal,
    const Options& options,
    const std::function<void()>& ours) {
  Tensors tensors;
  Optimizer optimizer(tensors.parameters, options);
  const Turns turns =
      take_turns(kTurns, ours, [&] { tensors.step(optimizer); });
  return time_row(name, turns, goal);
}

std::vector<Row> all_rows() {
  Planes planes;
  verify(planes);
  Triad triad;
  return {// Reads x, inbox, g, m; writes x, m.
          triad.against(
              "fused mix + SGD momentum, 25 M floats, vs triad",
              6,
              ">=0.8",
              [&] { sgd_step(planes, kFloats); }),
          // Reads x, inbox, g, m, v; writes x, m, v.
          triad.against(
              "fused mix + AdamW, 25 M floats, vs triad",
              8,
              ">=0.75",
              [&] { adamw_step(planes, kFloats); }),
          against_torch<torch::optim::SGD>(
              "fused mix + SGD momentum vs torch SGD::step + add_, mul_",
              "<=0.5",
              torch::optim::SGDOptions(0.01).momentum(0.9),
              [&] { sgd_step(planes, kResnet50); }),
          against_torch<torch::optim::AdamW>(
              "fused mix + AdamW vs torch AdamW::step + add_, mul_",
              "<=0.333",
              torch::optim::AdamWOptions(1e-3).weight_decay(0.1),
              [&] { adamw_step(planes, kResnet50); })};
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  using namespace grapevine::perf;
  grapevine::run::use_one_torch_thread();
  write_rows(argc > 1 ? argv[1] : "kernel.json", all_rows());
}
