// A libtorch training loop made decentralized. The lines marked (*) are all
// that Grapevine adds. Started alone it trains one worker; under mpirun,
// torchrun or `grapevine launch` the workers of a ring agree on the model.
//
// Prints on worker 0, for any number of workers:
//   learned: the averaged model fits the data
#include <grapevine/grapevine.h>

#include <torch/torch.h>

#include <iostream>

int main() {
  torch::set_num_threads(1);
  auto group = grapevine::Group::from_environment(); // (*)

  torch::manual_seed(1); // the same task everywhere
  const auto task = torch::randn({20, 5});

  torch::manual_seed(100 + group.rank()); // other samples on every worker
  torch::nn::Sequential model(
      torch::nn::Linear(20, 64),
      torch::nn::ReLU(),
      torch::nn::Linear(64, 5));

  grapevine::DataParallel parallel( // (*) instead of torch::optim::SGD
      *model,
      group,
      {.agreement = "adapt-then-combine",
       .graph = "ring",
       .optimizer = "sgd",
       .optimizer_options = {{"lr", 0.1}, {"momentum", 0.9}}});

  for (int step = 0; step < 300; ++step) {
    const auto input = torch::randn({32, 20});
    const auto label = input.matmul(task).argmax(1);
    parallel.zero_grad();
    const auto loss =
        torch::nn::functional::cross_entropy(model->forward(input), label);
    loss.backward();
    parallel.step();
  }

  parallel.average(); // (*) all workers end with the same model
  model->eval();
  const auto input = torch::randn({2000, 20});
  const auto right =
      model->forward(input).argmax(1).eq(input.matmul(task).argmax(1));
  const double accuracy = right.to(torch::kFloat).mean().item<double>();
  if (group.rank() == 0 && accuracy > 0.9) {
    std::cout << "learned: the averaged model fits the data\n";
  }
  return accuracy > 0.9 ? 0 : 1;
}
