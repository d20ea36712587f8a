// The library under a launcher that puts workers on nodes: what it finds out is
// what it would have been told. Prints on worker 0, on 2 nodes of 2 workers:
//   2 workers a node, as told
#include <grapevine/grapevine.h>

#include <torch/torch.h>

#include <iostream>

namespace {

struct Outcome {
  int workers_per_node = 0;
  int64_t bytes = 0;
  torch::Tensor parameters;
};

// Two steps of AER, the second of which crosses nodes, from other values on
// every worker.
Outcome train(grapevine::Group& group, int workers_per_node) {
  torch::nn::Linear net(8, 8);
  grapevine::DataParallel parallel(
      *net,
      group,
      {.graph = "aer",
       .workers_per_node = workers_per_node,
       .optimizer_options = {{"lr", 0}}});
  {
    const torch::NoGradGuard no_grad;
    net->weight.fill_(static_cast<float>(1 << group.rank()));
  }
  const int64_t before = parallel.bytes_sent();
  parallel.step();
  const torch::Tensor halfway = net->weight.detach().clone();
  parallel.step();
  return {
      parallel.workers_per_node(),
      parallel.bytes_sent() - before,
      torch::stack({halfway, net->weight.detach()})};
}

} // namespace

int main() {
  torch::set_num_threads(1);
  auto group = grapevine::Group::from_environment();
  const Outcome found = train(group, 0);
  const Outcome told = train(group, 2);
  const Outcome alone = train(group, 1);
  const bool as_told = found.bytes == told.bytes &&
                       torch::equal(found.parameters, told.parameters);
  const bool matters = !torch::equal(found.parameters, alone.parameters);
  if (group.rank() == 0) {
    std::cout << found.workers_per_node << " workers a node, "
              << (as_told && matters ? "as told" : "which is something else")
              << "\n";
  }
  return as_told && matters ? 0 : 1;
}
