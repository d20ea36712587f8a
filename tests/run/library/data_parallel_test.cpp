// The library as its users see it: a module, a loop, a handful of lines.
#include <grapevine/grapevine.h>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <functional>
#include <thread>

namespace grapevine {
namespace {

torch::nn::Sequential make_net() {
  return torch::nn::Sequential(
      torch::nn::Linear(6, 16),
      torch::nn::BatchNorm1d(16),
      torch::nn::ReLU(),
      torch::nn::Linear(16, 3));
}

struct Samples {
  torch::Tensor input;
  torch::Tensor label;
};

// Threads share torch's generator, so data is made before they start.
std::vector<std::vector<Samples>> make_samples(int workers, int steps) {
  torch::manual_seed(7);
  std::vector<std::vector<Samples>> samples(workers);
  for (auto& mine : samples) {
    for (int step = 0; step < steps; ++step) {
      mine.push_back(
          {torch::randn({8, 6}), torch::randint(0, 3, {8}, torch::kInt64)});
    }
  }
  return samples;
}

void run_threads(int n, const std::function<void(int)>& body) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < n; ++rank)
    threads.emplace_back(body, rank);
}

struct Trained {
  std::vector<torch::Tensor> parameters;
  double distance = 0;
  int64_t messages = 0;
};

enum class Backward { kBeforeTheStep, kInsideTheStep };

std::vector<Trained> train(
    int n,
    const DataParallelOptions& options,
    Backward backward = Backward::kBeforeTheStep) {
  constexpr int kSteps = 5;
  const auto samples = make_samples(n, kSteps);
  torch::manual_seed(1);
  std::vector<torch::nn::Sequential> nets;
  for (int rank = 0; rank < n; ++rank)
    nets.push_back(make_net());
  auto groups = Group::in_process(n);
  std::vector<Trained> trained(n);
  run_threads(n, [&](int rank) {
    torch::set_num_threads(1);
    DataParallel parallel(*nets[rank], groups[rank], options);
    for (const Samples& batch : samples[rank]) {
      const auto loss = [&] {
        return torch::nn::functional::cross_entropy(
            nets[rank]->forward(batch.input),
            batch.label);
      };
      if (backward == Backward::kInsideTheStep) {
        parallel.step(loss);
        continue;
      }
      parallel.zero_grad();
      loss().backward();
      parallel.step();
    }
    trained[rank].distance = parallel.consensus_distance();
    trained[rank].messages = parallel.messages_sent();
    for (const auto& parameter : nets[rank]->parameters()) {
      trained[rank].parameters.push_back(parameter.detach().clone());
    }
  });
  return trained;
}

TEST(DataParallel, AllreduceKeepsReplicasEqual) {
  const auto trained = train(3, {.agreement = "allreduce", .check = true});
  for (const Trained& other : trained) {
    for (size_t i = 0; i < other.parameters.size(); ++i) {
      EXPECT_TRUE(torch::equal(other.parameters[i], trained[0].parameters[i]));
    }
  }
}

TEST(DataParallel, BackwardInsideTheStepGivesTheSameBits) {
  for (const char* agreement :
       {"allreduce",
        "adapt-then-combine",
        "combine-while-adapt",
        "push-sum-overlapped",
        "gradient-tracking"}) {
    const DataParallelOptions options{
        .agreement = agreement,
        .graph = "one-peer-exponential",
        .optimizer = AdamW{.lr = 0.01}};
    const auto before = train(4, options);
    const auto inside = train(4, options, Backward::kInsideTheStep);
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(before[rank].messages, inside[rank].messages);
      for (size_t i = 0; i < before[rank].parameters.size(); ++i) {
        EXPECT_TRUE(torch::equal(
            before[rank].parameters[i],
            inside[rank].parameters[i]))
            << agreement;
      }
    }
  }
}

TEST(DataParallel, RingReplicasStayNearAndSendTwoCopies) {
  const auto trained = train(5, {.graph = "ring", .check = true});
  EXPECT_GT(trained[0].distance, 0);
  EXPECT_LT(trained[0].distance, 1);
  EXPECT_EQ(trained[0].distance, trained[4].distance);
  EXPECT_EQ(trained[0].messages, 5 * 2);
}

// One worker of ours against torch's own optimizer.
template <typename Theirs, typename Options>
void expect_equals_torch(const Optimizer& ours, const Options& theirs) {
  const auto samples = make_samples(1, 5)[0];
  torch::manual_seed(1);
  auto net = make_net();
  Theirs optimizer(net->parameters(), theirs);
  for (const Samples& batch : samples) {
    optimizer.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(batch.input), batch.label)
        .backward();
    optimizer.step();
  }
  const auto trained = train(1, {.optimizer = ours});
  const auto expected = net->parameters();
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(torch::equal(trained[0].parameters[i], expected[i])) << i;
  }
}

TEST(DataParallel, OneWorkerIsTorch) {
  using torch::optim::AdamOptions;
  using torch::optim::AdamWOptions;
  using torch::optim::SGDOptions;
  expect_equals_torch<torch::optim::SGD>(
      Sgd{.lr = 0.05, .momentum = 0.9},
      SGDOptions(0.05).momentum(0.9));
  expect_equals_torch<torch::optim::Adam>(
      Adam{.weight_decay = 0.1, .decay_norms_and_biases = true},
      AdamOptions().weight_decay(0.1));
  expect_equals_torch<torch::optim::AdamW>(
      AdamW{.lr = 0.01, .beta2 = 0.98, .decay_norms_and_biases = true},
      AdamWOptions(0.01).betas({0.9, 0.98}));
  expect_equals_torch<torch::optim::Adam>(
      AccumAdam{.window = 1},
      AdamOptions());
  expect_equals_torch<torch::optim::AdamW>(
      AccumAdamW{.decay_norms_and_biases = true, .window = 1},
      AdamWOptions());
}

TEST(DataParallel, TheLearningRateIsTheOptimizers) {
  auto net = make_net();
  DataParallel parallel(
      *net,
      Group::in_process(1)[0],
      {.optimizer = AccumAdamW{.lr = 0.02, .window = 2}});
  EXPECT_EQ(parallel.lr(), 0.02);
  parallel.set_lr(0.01);
  EXPECT_EQ(parallel.lr(), 0.01);
}

TEST(DataParallel, AccumAdamTrainsARing) {
  const auto trained =
      train(3, {.optimizer = AccumAdam{.window = 2}, .check = true});
  EXPECT_GT(trained[0].distance, 0);
  EXPECT_LT(trained[0].distance, 1);
}

TEST(DataParallel, AverageMakesAllEqual) {
  auto groups = Group::in_process(3);
  std::vector<torch::nn::Sequential> nets;
  for (int rank = 0; rank < 3; ++rank)
    nets.push_back(make_net());
  run_threads(3, [&](int rank) {
    DataParallel parallel(*nets[rank], groups[rank]);
    {
      const torch::NoGradGuard no_grad;
      nets[rank]->parameters()[0].fill_(static_cast<float>(rank));
    }
    EXPECT_GT(parallel.consensus_distance(), 0);
    parallel.average();
    EXPECT_EQ(nets[rank]->parameters()[0][0][0].item<float>(), 1.0F);
  });
}

// The next step mixes what was written, not what was under way before.
TEST(DataParallel, ReplacedParametersAreMixedNotTheOldOnes) {
  for (const char* agreement :
       {"allreduce",
        "adapt-then-combine",
        "combine-while-adapt",
        "push-sum-overlapped"}) {
    auto groups = Group::in_process(2);
    const auto samples = make_samples(2, 2);
    run_threads(2, [&](int rank) {
      torch::set_num_threads(1);
      auto net = make_net();
      DataParallel parallel(
          *net,
          groups[rank],
          {.agreement = agreement,
           .graph = "complete",
           .optimizer = Sgd{.lr = 0}});
      const auto take_step = [&](int i) {
        parallel.step(
            [&] { return net->forward(samples[rank][i].input).sum(); });
      };
      take_step(0);
      {
        const torch::NoGradGuard no_grad;
        net->parameters()[0].fill_(10);
      }
      parallel.parameters_replaced();
      take_step(1);
      EXPECT_EQ(net->parameters()[0].min().item<float>(), 10) << agreement;
      EXPECT_EQ(net->parameters()[0].max().item<float>(), 10) << agreement;
    });
  }
}

TEST(DataParallel, NodesAreFoundOrGiven) {
  auto groups = Group::in_process(4);
  run_threads(4, [&](int rank) {
    for (const auto& [given, found] : {std::pair(0, 1), {1, 1}, {2, 2}}) {
      auto net = make_net();
      const DataParallel parallel(
          *net,
          groups[rank],
          {.graph = "aer", .workers_per_node = given});
      EXPECT_EQ(parallel.workers_per_node(), found);
    }
  });
}

TEST(DataParallel, WhatUnbindsIsAnErrorNotASilentStop) {
  auto net = make_net();
  DataParallel parallel(*net, Group::in_process(1)[0]);
  net->zero_grad(true);
  EXPECT_THROW(parallel.step(), std::runtime_error);
}

TEST(DataParallel, WrongNamesAreRefusedWithTheNearest) {
  auto net = make_net();
  try {
    const DataParallel parallel(
        *net,
        Group::in_process(1)[0],
        {.graph = "rnig"});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ring"), std::string::npos);
  }
}

// Its loop is not ours to slow down.
TEST(DataParallel, SlowWorkersAreRefused) {
  setenv("GRAPEVINE_SLOW", "0:2", 1);
  EXPECT_THROW(Group::from_environment(), std::runtime_error);
  unsetenv("GRAPEVINE_SLOW");
  EXPECT_EQ(Group::from_environment().size(), 1);
}

TEST(DataParallel, OneModelAtATimeInAGroup) {
  auto group = Group::in_process(1)[0];
  auto first = make_net();
  auto second = make_net();
  {
    const DataParallel parallel(*first, group);
    EXPECT_THROW(DataParallel(*second, group), std::runtime_error);
  }
  DataParallel parallel(*second, group);
  parallel.step();
}

// What the first, smaller one has left of shared memory has room for no other.
TEST(DataParallel, ALargerModelMayFollow) {
  constexpr int kWorkers = 3;
  for (const std::string agreement :
       {"adapt-then-combine", "combine-while-adapt", "gradient-tracking"}) {
    auto groups = Group::in_process(kWorkers);
    std::vector<torch::Tensor> means(kWorkers);
    run_threads(kWorkers, [&](int rank) {
      torch::set_num_threads(1);
      // 8 is within a page of shared memory, as 4 is.
      for (const int width : {4, 8, 300, 2}) {
        torch::nn::Linear net(width, width);
        DataParallel parallel(*net, groups[rank], {.agreement = agreement});
        const auto input = torch::ones({2, width});
        for (int step = 0; step < 3; ++step)
          parallel.step([&] { return net->forward(input).sum(); });
        parallel.average();
        const auto mean = net->weight.detach().mean();
        means[rank] = means[rank].defined() ? means[rank] + mean : mean;
      }
    });
    for (const auto& mean : means)
      EXPECT_TRUE(mean.equal(means[0])) << agreement;
  }
}

// With an exchange in progress, which ends before the model's memory does and
// leaves nothing behind for the next one.
TEST(DataParallel, EndsWhileExchangesAreInProgress) {
  for (const int n : {2, 3}) {
    auto groups = Group::in_process(n);
    const auto samples = make_samples(n, 3);
    std::vector<std::vector<double>> losses(n);
    run_threads(n, [&](int rank) {
      torch::set_num_threads(1);
      for (int turn = 0; turn < 2; ++turn) {
        auto net = make_net();
        for (auto& parameter : net->parameters())
          torch::nn::init::constant_(parameter, 0.1);
        DataParallel parallel(
            *net,
            groups[rank],
            {.agreement = "combine-while-adapt", .graph = "complete"});
        double loss = 0;
        for (const Samples& batch : samples[rank]) {
          loss = parallel.step([&] { return net->forward(batch.input).sum(); });
        }
        losses[rank].push_back(loss);
      }
    });
    for (const auto& of_rank : losses)
      EXPECT_EQ(of_rank[0], of_rank[1]);
  }
}

TEST(DataParallel, AStepThatWasBrokenOffIsTheLast) {
  for (const char* agreement : {"adapt-then-combine", "combine-while-adapt"}) {
    auto groups = Group::in_process(2, {.deadline_seconds = 5});
    const auto samples = make_samples(2, 2);
    run_threads(2, [&](int rank) {
      torch::set_num_threads(1);
      auto net = make_net();
      DataParallel parallel(
          *net,
          groups[rank],
          {.agreement = agreement, .graph = "complete"});
      const auto take_step = [&](int i) {
        parallel.step([&]() -> torch::Tensor {
          if (i == 1 && rank == 0) throw std::range_error("a bad batch");
          return net->forward(samples[rank][i % 2].input).sum();
        });
      };
      take_step(0);
      if (rank == 0) {
        EXPECT_THROW(take_step(1), std::range_error);
        EXPECT_THROW(take_step(2), std::runtime_error);
      } else {
        EXPECT_THROW(
            {
              for (int i = 1; i < 4; ++i)
                take_step(i);
            },
            std::runtime_error);
      }
    });
  }
}

// A frozen layer has no gradient; weight decay leaves it alone, too.
TEST(DataParallel, FrozenParametersStay) {
  const auto samples = make_samples(1, 3);
  for (const Optimizer& optimizer :
       {Optimizer(Sgd{.weight_decay = 0.1}),
        Optimizer(Adam{.weight_decay = 0.1}),
        Optimizer(AdamW{.weight_decay = 0.1})}) {
    auto net = make_net();
    torch::Tensor frozen = net->parameters()[0];
    frozen.set_requires_grad(false);
    const torch::Tensor before = frozen.clone();
    const torch::Tensor trained = net->parameters()[4].clone();
    DataParallel parallel(
        *net,
        Group::in_process(1)[0],
        {.optimizer = optimizer});
    for (const Samples& batch : samples[0])
      parallel.step([&] { return net->forward(batch.input).square().sum(); });
    EXPECT_TRUE(torch::equal(net->parameters()[0], before));
    EXPECT_FALSE(torch::equal(net->parameters()[4], trained));
  }
}

TEST(DataParallel, OptionsThatCannotBeAreRefused) {
  for (const double deadline : {0.0, -1.0, 1e300, std::nan("")}) {
    EXPECT_THROW(
        Group::in_process(1, {.deadline_seconds = deadline}),
        std::runtime_error);
  }
  auto net = make_net();
  for (const DataParallelOptions& options :
       {DataParallelOptions{.clip = -1},
        DataParallelOptions{.workers_per_node = -1},
        DataParallelOptions{.optimizer = Adam{.beta1 = 1.5}}}) {
    EXPECT_THROW(
        DataParallel(*net, Group::in_process(1)[0], options),
        std::runtime_error);
  }
}

TEST(DataParallel, WorkersThatDifferAreToldApart) {
  const auto expect_told_apart = [](const auto& width, const auto& options) {
    auto groups = Group::in_process(2);
    run_threads(2, [&](int rank) {
      torch::nn::Sequential net(torch::nn::Linear(4, width(rank)));
      EXPECT_THROW(
          DataParallel(*net, groups[rank], options(rank)),
          std::runtime_error);
    });
  };
  const auto four = [](int) { return 4; };
  expect_told_apart(
      [](int rank) { return 4 + rank; },
      [](int) { return DataParallelOptions{}; });
  expect_told_apart(four, [](int rank) {
    return DataParallelOptions{.clip = 1.0 + rank};
  });
  expect_told_apart(four, [](int rank) {
    return DataParallelOptions{.optimizer = AccumAdam{.window = 2 + rank}};
  });
}

} // namespace
} // namespace grapevine
