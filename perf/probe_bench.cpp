// What the white-box probes cost: whole runs with the default of probe-every
// against runs that never probe. In processor time, which other programs on
// the machine disturb least; what a run of one step takes (data, replicas,
// evaluation) is taken off both.
#include "perf/bench.h"
#include "perf/processor_time.h"
#include "run/trainer.h"
#include "spec/spec.h"

#include <filesystem>

#include <unistd.h>

namespace grapevine::perf {
namespace {

namespace fs = std::filesystem;

struct Task {
  std::string name;
  std::string model;
  std::string graph;
  int n;
  int64_t batch;
  int64_t steps;
};

double cost(const Task& task, int64_t steps, int64_t probe_every) {
  const fs::path out =
      fs::temp_directory_path() / fmt::format("gv-probe-bench-{}", ::getpid());
  spec::Spec spec;
  spec.model = task.model;
  spec.data = "synthetic";
  spec.graph = task.graph;
  spec.transport = "virtual";
  spec.n = task.n;
  spec.batch = task.batch;
  spec.synthetic_samples = task.n * task.batch * 4;
  spec.epochs = steps;
  spec.steps = steps;
  spec.probe_every = probe_every;
  spec.eval_every = 0;
  spec.eval_samples = 1;
  spec.checkpoint_every = -1;
  spec.threads = 1;
  spec.out = out.string();
  spec.fresh = true;
  const double start = processor_seconds();
  run::train(spec, {});
  const double seconds = processor_seconds() - start;
  fs::remove_all(out);
  return seconds;
}

Row probes(const Task& task) {
  constexpr int kTurns = 5;
  const int64_t every = spec::Spec().probe_every;
  Turns turns;
  for (int turn = 0; turn < kTurns; ++turn) {
    const double setup = cost(task, 1, 0);
    turns.ours.push_back(cost(task, task.steps + 1, every) - setup);
    turns.rival.push_back(cost(task, task.steps + 1, 0) - setup);
  }
  return time_row("probes, " + task.name, turns, "<=1.02");
}

} // namespace
} // namespace grapevine::perf

int main(int argc, char** argv) {
  using namespace grapevine::perf;
  if (argc != 2) {
    std::cerr << "usage: probe_bench FILE.json\n";
    return 2;
  }
  write_rows(
      argv[1],
      {probes({"MLP, 96 workers, batch 32", "mlp", "ring", 96, 32, 30}),
       probes({"MLP, 96 workers, batch 4", "mlp", "ring", 96, 4, 100}),
       probes({"ResNet20, 8 workers, batch 8", "resnet20", "ring", 8, 8, 20})});
  return 0;
}
