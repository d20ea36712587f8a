// The fused mix + SGD-momentum pass against what memory allows, and against
// torch's optimizer.
#include "base/aligned.h"
#include "base/random.h"
#include "kernel/clones.h"
#include "kernel/sgd.h"
#include "perf/bench.h"
#include "train/torch_threads.h"

#include <torch/torch.h>

#include <cmath>

namespace grapevine::perf {
namespace {

constexpr int64_t kFloats = 25'000'000;
constexpr int kTurns = 9;

// STREAM's triad, compiled as our kernels are.
GV_CLONES void triad(float* a, const float* b, const float* c, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    a[i] = b[i] + 0.5F * c[i];
}

void fill(AlignedFloats& plane, uint64_t stream) {
  Random random(1, Purpose::kTest, stream);
  for (float& value : plane.span()) {
    value = static_cast<float>(random.uniform() - 0.5);
  }
}

struct Planes {
  AlignedFloats x{kFloats};
  AlignedFloats inbox{kFloats};
  AlignedFloats g{kFloats};
  AlignedFloats m{kFloats};

  Planes() {
    fill(x, 1);
    fill(inbox, 2);
    fill(g, 3);
    fill(m, 4);
  }

  void fused_step() {
    const float* terms[] = {x.data(), inbox.data()};
    kernel::sgd_update(
        x.data(),
        g.data(),
        m.data(),
        0,
        kFloats,
        {.lr = 0.01F, .momentum = 0.9F},
        {.terms = terms, .scale = 0.5F});
  }
};

// Ours must compute what the formula says before it is timed.
void verify(Planes& planes) {
  const int64_t at = 12'345'678;
  const float x = planes.x.data()[at];
  const float m = planes.m.data()[at] * 0.9F + planes.g.data()[at];
  const float mixed = (x + planes.inbox.data()[at]) * 0.5F;
  planes.fused_step();
  if (planes.x.data()[at] != std::fma(m, -0.01F, mixed)) {
    throw std::runtime_error("the fused step computes something else");
  }
}

Row against_triad(Planes& planes) {
  // Reads x, inbox, g, m and writes x, m: six streams; the triad has three,
  // so its arrays are twice as long.
  AlignedFloats a(2 * kFloats);
  AlignedFloats b(2 * kFloats);
  AlignedFloats c(2 * kFloats);
  // Untouched pages would all be the kernel's one page of zeros.
  fill(b, 5);
  fill(c, 6);
  const Turns turns = take_turns(
      kTurns,
      [&] { planes.fused_step(); },
      [&] { triad(a.data(), b.data(), c.data(), 2 * kFloats); });
  return bandwidth_row(
      "fused mix + SGD momentum, 25 M floats, vs triad",
      turns,
      6.0 * kFloats * sizeof(float),
      ">=0.8");
}

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

Row against_torch() {
  std::vector<torch::Tensor> parameters;
  std::vector<torch::Tensor> inbox;
  int64_t total = 0;
  for (const auto& shape : resnet50_shapes()) {
    torch::Tensor parameter = torch::randn(shape).requires_grad_();
    parameter.mutable_grad() = torch::randn(shape);
    parameters.push_back(parameter);
    inbox.push_back(torch::randn(shape));
    total += parameter.numel();
  }
  if (total != 25'557'032) throw std::runtime_error("not ResNet50's shapes");
  torch::optim::SGD optimizer(
      parameters,
      torch::optim::SGDOptions(0.01).momentum(0.9));
  AlignedFloats x(total);
  AlignedFloats theirs(total);
  AlignedFloats g(total);
  AlignedFloats m(total);
  fill(x, 1);
  fill(theirs, 2);
  fill(g, 3);
  const float* terms[] = {x.data(), theirs.data()};
  const Turns turns = take_turns(
      kTurns,
      [&] {
        kernel::sgd_update(
            x.data(),
            g.data(),
            m.data(),
            0,
            total,
            {.lr = 0.01F, .momentum = 0.9F},
            {.terms = terms, .scale = 0.5F});
      },
      [&] {
        const torch::NoGradGuard no_grad;
        for (size_t i = 0; i < parameters.size(); ++i) {
          parameters[i].add_(inbox[i]).mul_(0.5);
        }
        optimizer.step();
      });
  return time_row(
      "fused mix + SGD momentum vs torch SGD::step + add_, mul_",
      turns,
      "<=0.5");
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  using namespace grapevine::perf;
  grapevine::train::use_one_torch_thread();
  Planes planes;
  verify(planes);
  write_rows(
      argc > 1 ? argv[1] : "kernel.json",
      {against_triad(planes), against_torch()});
}
