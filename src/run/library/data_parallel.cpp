#include <grapevine/data_parallel.h>

#include "algo/agreement.h"
#include "algo/rules.h"
#include "base/error.h"
#include "graph/schedule.h"
#include "mix/cluster.h"
#include "mix/stepper.h"
#include "record/consensus.h"
#include "run/library/group_state.h"
#include "tensor/arena.h"
#include "tensor/bind/bind.h"
#include "tensor/bind/gradient_hooks.h"

#include <fmt/format.h>

#include <cstring>

namespace grapevine {
namespace {

// Before anything is made of them.
DataParallelOptions checked(DataParallelOptions options) {
  if (!(options.clip >= 0)) {
    throw ConfigError(fmt::format("clip: {} is not 0 or more", options.clip));
  }
  if (options.workers_per_node < 0) {
    throw ConfigError(fmt::format(
        "workers_per_node: {} is not 0 (as launched) or more",
        options.workers_per_node));
  }
  return options;
}

// Everybody asks, also who was told, since somebody else may not have been.
int find_workers_per_node(
    int wanted,
    mix::Cluster& cluster,
    const net::LaunchEnvironment& environment) {
  const int found = cluster.find_workers_per_node(environment);
  return wanted == 0 ? found : wanted;
}

std::unique_ptr<graph::Schedule>
make_schedule(const DataParallelOptions& options, int n, int workers_per_node) {
  const bool centralized =
      algo::find_agreement(options.agreement).is_centralized();
  graph::GraphOptions graph{
      .name = centralized ? "complete" : options.graph,
      .n = n,
      .seed = options.seed,
      .workers_per_node = workers_per_node,
      .epochs = options.epochs};
  const auto& row = find_row("graph", graph.name, graph::graph_table());
  for (const auto& [key, value] : options.graph_options)
    set_option(graph, graph::graph_options(), row, key, value.text());
  return graph::make_schedule(graph);
}

std::string text_of(const Options& options) {
  std::string text;
  for (const auto& [key, value] : options)
    text += fmt::format("{}={},", key, value.text());
  return text;
}

// An optimizer with its learning rate.
struct Optimizer : algo::RuleOptions {
  double lr = 0;
};

Optimizer make_optimizer(const DataParallelOptions& wanted) {
  std::vector<Option<Optimizer>> options = {
      number("lr", &Optimizer::lr, kAtLeastZero)};
  algo::RuleEntry row = algo::find_optimizer(wanted.optimizer);
  row.options.insert(row.options.begin(), "lr");
  row.options.insert(row.options.end(), {"weight-decay", "decay"});
  for (const auto& option : algo::optimizer_options())
    options.push_back(option);
  Optimizer optimizer;
  optimizer.name = wanted.optimizer;
  for (const auto& [key, value] : row.defaults)
    set_option(optimizer, options, row, key, value);
  for (const auto& [key, value] : wanted.optimizer_options)
    set_option(optimizer, options, row, key, value.text());
  return optimizer;
}

} // namespace

OptionValue::OptionValue(double value) : text_(toml_number(value)) {}

struct DataParallel::State {
  State(torch::nn::Module& wrapped, Group joined, DataParallelOptions wanted)
      : module(wrapped),
        group(std::move(joined)),
        cluster(*group.state_->cluster),
        options(checked(std::move(wanted))),
        optimizer(make_optimizer(options)),
        rule(algo::make_rule(optimizer)),
        agreement(algo::find_synchronous_agreement(options.agreement)),
        arena(
            std::make_shared<tensor::Layout>(tensor::parameter_layout(module)),
            std::make_shared<tensor::Layout>(tensor::buffer_layout(module)),
            static_cast<int>(algo::state_planes(agreement, *rule).size())),
        attachment(cluster, {&arena}),
        workers_per_node(find_workers_per_node(
            options.workers_per_node,
            cluster,
            group.state_->environment)),
        schedule(make_schedule(options, cluster.size(), workers_per_node)),
        stepper(
            cluster,
            {&arena},
            agreement,
            *rule,
            *schedule,
            {.clip = options.clip,
             .average_buffers = options.average_buffers,
             .workers_per_node = workers_per_node,
             .check = options.check}) {}

  void take_step(const std::function<void(mix::GradientListener*)>& compute) {
    tensor::verify_bound(module, arena);
    const int64_t per_epoch = std::max<int64_t>(1, options.steps_per_epoch);
    stepper.step(
        {.moment = {step, step / per_epoch},
         .next = graph::StepTime{step + 1, (step + 1) / per_epoch},
         .lr = optimizer.lr,
         .compute_gradient = [&](int, mix::GradientListener* wanted) {
           compute(wanted);
         }});
    ++step;
  }

  torch::nn::Module& module;
  Group group;
  mix::Cluster& cluster;
  DataParallelOptions options;
  Optimizer optimizer;
  algo::Rule rule;
  const algo::Agreement& agreement;
  tensor::Arena arena;
  // Before anybody is asked anything: who may not attach tells nobody.
  mix::Attachment attachment;
  int workers_per_node;
  std::unique_ptr<graph::Schedule> schedule;
  mix::Stepper stepper;
  int64_t step = 0;
  // While the last backward of a step runs.
  mix::GradientListener* listener = nullptr;
  struct Listening {
    Listening(State& listened, mix::GradientListener* by) : state(listened) {
      state.listener = by;
    }
    ~Listening() { state.listener = nullptr; }
    State& state;
  };
  std::unique_ptr<tensor::GradientHooks> hooks;
};

DataParallel::DataParallel(
    torch::nn::Module& module,
    Group group,
    DataParallelOptions options)
    : state_(std::make_unique<State>(
          module,
          std::move(group),
          std::move(options))) {
  State& state = *state_;
  tensor::bind_module(module, state.arena);
  const auto& wanted = state.options;
  state.cluster.compare_fingerprints(
      {{"layout", state.arena.layout().digest()},
       {"buffers", state.arena.buffer_layout().digest()},
       {"agreement", wanted.agreement},
       {"graph",
        fmt::format(
            "{} {:016x} {} {} {}",
            wanted.graph,
            state.schedule->at({0, 0})->digest(),
            text_of(wanted.graph_options),
            wanted.epochs,
            wanted.steps_per_epoch)},
       {"clip", fmt::format("{}", wanted.clip)},
       {"average_buffers", fmt::format("{}", wanted.average_buffers)},
       {"workers_per_node", fmt::format("{}", state.workers_per_node)},
       {"optimizer", algo::describe(state.optimizer)}});
  state.cluster.copy_first(algo::Plane::kParameters);
  state.cluster.copy_first(algo::Plane::kBuffers);
  state.hooks =
      std::make_unique<tensor::GradientHooks>(module, [&state](int t) {
        if (state.listener != nullptr) state.listener->tensor_ready(t);
      });
}

DataParallel::~DataParallel() = default;

void DataParallel::zero_grad() {
  state_->arena.clear_gradients();
}

void DataParallel::step() {
  state_->take_step([](mix::GradientListener*) {});
}

double DataParallel::step(const std::function<torch::Tensor()>& compute_loss) {
  double value = 0;
  state_->take_step([&](mix::GradientListener* listener) {
    State& state = *state_;
    state.arena.clear_gradients();
    const torch::Tensor loss = compute_loss();
    {
      const State::Listening listening(state, listener);
      loss.backward();
    }
    value = loss.item<double>();
  });
  return value;
}

double DataParallel::lr() const {
  return state_->optimizer.lr;
}

void DataParallel::set_lr(double lr) {
  state_->optimizer.lr = lr;
}

void DataParallel::average() {
  State& state = *state_;
  for (const auto plane : {algo::Plane::kParameters, algo::Plane::kBuffers}) {
    const std::span<float> values = algo::plane_of(state.arena, plane);
    std::vector<float> mean(values.size());
    state.cluster.mean(plane, mean);
    std::memcpy(values.data(), mean.data(), values.size_bytes());
  }
  parameters_replaced();
}

void DataParallel::parameters_replaced() {
  state_->stepper.parameters_replaced();
}

double DataParallel::consensus_distance() {
  State& state = *state_;
  const std::span<const float> mine = state.arena.parameters();
  std::vector<float> mean(mine.size());
  state.cluster.mean(algo::Plane::kParameters, mean);
  std::vector<double> distances;
  for (const auto& row :
       state.cluster.all_gather({{record::squared_distance(mine, mean)}})) {
    distances.push_back(row[0]);
  }
  return record::consensus_distance(distances);
}

int64_t DataParallel::steps() const {
  return state_->step;
}

int DataParallel::rank() const {
  return state_->group.rank();
}

int DataParallel::size() const {
  return state_->group.size();
}

int DataParallel::workers_per_node() const {
  return state_->workers_per_node;
}

int64_t DataParallel::messages_sent() const {
  return state_->cluster.traffic().messages;
}

int64_t DataParallel::bytes_sent() const {
  return state_->cluster.traffic().bytes;
}

} // namespace grapevine
