#include "run/library/optimizer.h"

namespace grapevine::run {
namespace {

template <typename Family>
algo::RuleOptions adam_options(const char* name, const Family& adam) {
  return {
      .name = name,
      .beta1 = adam.beta1,
      .beta2 = adam.beta2,
      .eps = adam.eps,
      .weight_decay = adam.weight_decay,
      .decay_everything = adam.decay_norms_and_biases};
}

template <typename Family>
algo::RuleOptions accum_options(const char* name, const Family& adam) {
  algo::RuleOptions options = adam_options(name, adam);
  options.window = adam.window;
  return options;
}

struct ToRuleOptions {
  algo::RuleOptions operator()(const Sgd& sgd) const {
    return {
        .name = "sgd",
        .momentum = sgd.momentum,
        .nesterov = sgd.nesterov,
        .weight_decay = sgd.weight_decay,
        .decay_everything = sgd.decay_norms_and_biases};
  }
  algo::RuleOptions operator()(const Adam& adam) const {
    return adam_options("adam", adam);
  }
  algo::RuleOptions operator()(const AdamW& adam) const {
    return adam_options("adamw", adam);
  }
  algo::RuleOptions operator()(const AccumAdam& adam) const {
    return accum_options("accumadam", adam);
  }
  algo::RuleOptions operator()(const AccumAdamW& adam) const {
    return accum_options("accumadamw", adam);
  }
};

} // namespace

algo::RuleOptions rule_options(const Optimizer& optimizer) {
  return std::visit(ToRuleOptions{}, optimizer);
}

double& learning_rate(Optimizer& optimizer) {
  return std::visit([](auto& any) -> double& { return any.lr; }, optimizer);
}

} // namespace grapevine::run
