#include "model/script_model.h"

#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <array>
#include <mutex>
#include <string_view>

namespace grapevine::model {
namespace {

// Of the process: so is torch's generator.
std::mutex generator_mutex;

bool draws_numbers(const torch::jit::Module& script) {
  const std::string code = script.dump_to_str(true, false, false);
  constexpr std::array<std::string_view, 5> kDrawing =
      {"dropout", "rand", "bernoulli", "normal", "multinomial"};
  return std::ranges::any_of(kDrawing, [&](std::string_view word) {
    return code.find(word) != std::string::npos;
  });
}

// What a message of torch's says, without its stack: the interpreter's comes
// behind the script's own, the others' comes first.
std::string reason_in(const std::string& message) {
  const size_t interpreter = message.find("RuntimeError: ");
  const std::string rest =
      message.substr(interpreter == std::string::npos ? 0 : interpreter);
  return rest.substr(0, rest.find('\n'));
}

// torch's own generator, as it was before when this ends.
class GeneratorKept {
 public:
  ~GeneratorKept() { generator_.set_state(before_); }
  void seed(uint64_t seed) { generator_.set_current_seed(seed); }

 private:
  torch::Generator generator_ = at::detail::getDefaultCPUGenerator();
  torch::Tensor before_ = generator_.get_state();
};

class ScriptModel final : public Model {
 public:
  explicit ScriptModel(torch::jit::Module script)
      : Model("script"),
        script_(std::move(script)),
        draws_numbers_(draws_numbers(script_)) {
    for (const auto& parameter : script_.named_parameters()) {
      const auto [module, name] = place_of(parameter.name);
      module->register_parameter(
          name,
          parameter.value,
          parameter.value.requires_grad());
    }
    for (const auto& buffer : script_.named_buffers()) {
      const auto [module, name] = place_of(buffer.name);
      module->register_buffer(name, buffer.value);
    }
  }

  torch::Tensor forward(torch::Tensor input) override {
    if (!is_training() || !draws_numbers_) return call(std::move(input));
    const std::lock_guard lock(generator_mutex);
    GeneratorKept generator;
    generator.seed(Random(
                       chance().seed,
                       Purpose::kDropout,
                       chance().rank,
                       chance().step * kMostMicroBatches + chance().micro_batch)
                       .next());
    return call(std::move(input));
  }

  void train(bool on) override {
    Model::train(on);
    script_.train(on);
  }

 private:
  static constexpr int64_t kMostMicroBatches = 1 << 20;

  torch::Tensor call(torch::Tensor input) {
    // Profiled and fused code would round otherwise from the third pass on.
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    return script_.forward({std::move(input)}).toTensor();
  }

  // The module and the last part of a name with dots; modules on the way are
  // made.
  std::pair<torch::nn::Module*, std::string> place_of(const std::string& name) {
    torch::nn::Module* module = this;
    size_t begin = 0;
    for (size_t dot; (dot = name.find('.', begin)) != std::string::npos;
         begin = dot + 1) {
      const std::string part = name.substr(begin, dot - begin);
      const auto children = module->named_children();
      const auto* child = children.find(part);
      module = child != nullptr
                   ? child->get()
                   : module
                         ->register_module(
                             part,
                             std::make_shared<torch::nn::Module>(part))
                         .get();
    }
    return {module, name.substr(begin)};
  }

  torch::jit::Module script_;
  bool draws_numbers_;
};

// Tries a pass of two samples.
void check_pass(ScriptModel& model, const ModelOptions& options) {
  std::vector<int64_t> shape = {2};
  shape.insert(
      shape.end(),
      options.sample_shape.begin(),
      options.sample_shape.end());
  const int64_t rows = options.tokens ? 2 * options.sample_shape.back() : 2;
  const torch::NoGradGuard no_grad;
  model.eval();
  torch::Tensor logits;
  try {
    logits = model.forward(
        torch::zeros(shape, options.tokens ? torch::kInt64 : torch::kFloat));
  } catch (const std::exception& error) {
    throw ConfigError(fmt::format(
        "model '{}' fails on samples of this data set: {}",
        options.name,
        reason_in(error.what())));
  }
  model.train(true);
  if (logits.dim() == 2 && logits.size(0) == rows &&
      logits.size(1) == options.classes) {
    return;
  }
  throw ConfigError(fmt::format(
      "model '{}' gives logits of shape {} for two samples of this data set; "
      "expected [{}, {}]",
      options.name,
      c10::str(logits.sizes()),
      rows,
      options.classes));
}

} // namespace

bool is_script(const std::string& name) {
  return name.ends_with(".pt");
}

std::shared_ptr<Model> make_script_model(const ModelOptions& options) {
  std::shared_ptr<ScriptModel> model;
  try {
    model = std::make_shared<ScriptModel>(torch::jit::load(options.name));
  } catch (const c10::Error& error) {
    throw ConfigError(fmt::format(
        "model '{}' cannot be read as TorchScript: {}",
        options.name,
        reason_in(error.what_without_backtrace())));
  } catch (const std::exception& error) { // an operator that is not here
    throw ConfigError(fmt::format(
        "model '{}' cannot be read as TorchScript: {}",
        options.name,
        reason_in(error.what())));
  }
  check_pass(*model, options);
  return model;
}

} // namespace grapevine::model
