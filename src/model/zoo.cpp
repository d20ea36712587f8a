// The table of models: a new one is its own pair of files and one entry here.
#include "model/zoo.h"

#include "base/error.h"
#include "base/names.h"
#include "model/cnn.h"
#include "model/densenet.h"
#include "model/mlp.h"
#include "model/resnet.h"
#include "model/script_model.h"
#include "model/text_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

namespace grapevine::model {
namespace {

struct Kind {
  ModelEntry entry;
  MakeModel make;
};

std::vector<Kind> own_kinds() {
  std::vector<Kind> table = {
      {{.name = "mlp",
        .task = "image classification",
        .summary = "perceptron with two hidden layers of 128",
        .sample_shape = {1, 28, 28},
        .classes = 10},
       make_mlp},
      {{.name = "cnn",
        .task = "image classification",
        .summary = "two 3x3 convolutions (16, 32 channels) and a linear layer",
        .sample_shape = {1, 28, 28},
        .classes = 10,
        .smallest_side = 4},
       make_cnn},
      {{.name = "resnet20",
        .task = "image classification",
        .summary = "ResNet20 for CIFAR, parameter-free shortcuts",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_resnet20},
      {{.name = "resnet8",
        .task = "image classification",
        .summary = "the same with 1 block a stage, for quick experiments",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_resnet8},
      {{.name = "resnet32",
        .task = "image classification",
        .summary = "the same with 5 blocks a stage",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_resnet32},
      {{.name = "resnet56",
        .task = "image classification",
        .summary = "the same with 9 blocks a stage",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_resnet56},
      {{.name = "resnet18",
        .task = "image classification",
        .summary = "ResNet18 with a 3x3 stem for small images",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_resnet18},
      {{.name = "resnet18-imagenet",
        .task = "image classification",
        .summary = "ResNet18 as published, for large images",
        .sample_shape = {3, 224, 224},
        .classes = 1000,
        .smallest_side = 8},
       make_resnet18_imagenet},
      {{.name = "resnet50",
        .task = "image classification",
        .summary = "ResNet50, bottlenecks with the stride in the 3x3",
        .sample_shape = {3, 224, 224},
        .classes = 1000,
        .smallest_side = 8},
       make_resnet50},
      {{.name = "densenet100",
        .task = "image classification",
        .summary = "DenseNet-BC of depth 100 and growth 12 for CIFAR",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_densenet100},
      {{.name = "densenet100-plain",
        .task = "image classification",
        .summary = "the same without bottleneck and compression",
        .sample_shape = {3, 32, 32},
        .classes = 10,
        .smallest_side = 8},
       make_densenet100_plain}};
  for (const auto& [entry, make] : text_models())
    table.push_back({entry, make});
  return table;
}

// The one thing here that a program may change (register_model).
std::vector<Kind>& kinds() {
  static std::vector<Kind> table = own_kinds();
  return table;
}

Kind kind(const std::string& name) {
  if (is_script(name)) {
    return {
        {.name = name,
         .task = "TorchScript",
         .summary = "from a file",
         .sample_shape = {}},
        make_script_model};
  }
  std::vector<std::string> names;
  for (const auto& known : kinds()) {
    if (known.entry.name == name) return known;
    names.push_back(known.entry.name);
  }
  throw ConfigError(unknown_name("model", name, names));
}

std::string samples_of(bool tokens, bool pairs) {
  return pairs ? "sentence pairs" : tokens ? "text" : "images";
}

void check_task(const Kind& kind, const ModelOptions& options) {
  if (is_script(kind.entry.name)) return;
  const auto fits = [&](const ModelEntry& entry) {
    return entry.tokens == options.tokens && entry.pairs == options.pairs;
  };
  if (fits(kind.entry)) return;
  std::vector<std::string> fitting;
  for (const auto& other : kinds()) {
    if (fits(other.entry)) fitting.push_back(other.entry.name);
  }
  throw ConfigError(fmt::format(
      "model '{}' is for {}, and the data are {}; models for them: {}",
      kind.entry.name,
      samples_of(kind.entry.tokens, kind.entry.pairs),
      samples_of(options.tokens, options.pairs),
      fmt::join(fitting, ", ")));
}

std::string shapes_taken(const Kind& kind) {
  if (kind.entry.tokens) return "[context], at least 1";
  if (kind.entry.smallest_side == 0)
    return "any shape, of extents of at least 1";
  return fmt::format(
      "[channels, rows, columns] with at least {} rows and columns",
      kind.entry.smallest_side);
}

void check_shape(const Kind& kind, const ModelOptions& options) {
  const auto& shape = options.sample_shape;
  // Elements of a sample: far above any image, and divided rather than
  // multiplied, for a product of given numbers may overflow.
  int64_t room = int64_t{1} << 28;
  bool fits = !shape.empty();
  for (const int64_t extent : shape) {
    fits = fits && extent >= 1 && extent <= room;
    if (fits) room /= extent;
  }
  const int64_t side = kind.entry.smallest_side;
  if (side > 0) {
    fits = fits && shape.size() == 3 && shape[1] >= side && shape[2] >= side;
  }
  if (kind.entry.tokens) fits = fits && shape.size() == 1;
  if (fits) return;
  throw ConfigError(fmt::format(
      "model '{}' cannot take samples of shape [{}]; it takes {}",
      kind.entry.name,
      fmt::join(shape, ", "),
      shapes_taken(kind)));
}

} // namespace

std::vector<ModelEntry> model_table() {
  std::vector<ModelEntry> entries;
  for (const auto& known : kinds())
    entries.push_back(known.entry);
  return entries;
}

void register_model(const ModelEntry& entry, MakeModel make) {
  for (const auto& known : kinds()) {
    if (known.entry.name != entry.name) continue;
    throw ConfigError(
        fmt::format("model '{}' is in the table already", entry.name));
  }
  kinds().push_back({entry, std::move(make)});
}

ModelEntry model_entry(const std::string& name) {
  return kind(name).entry;
}

void check_model(const ModelOptions& options) {
  const Kind known = kind(options.name);
  check_task(known, options);
  check_shape(known, options);
  if (options.classes < 1) {
    throw ConfigError(fmt::format(
        "model '{}' with {} classes: expected at least 1",
        options.name,
        options.classes));
  }
  const bool is_right = known.entry.has_dropout
                            ? options.dropout >= 0 && options.dropout < 1
                            : options.dropout == 0;
  if (!is_right) {
    throw ConfigError(fmt::format(
        "dropout of model '{}': expected {}, got {}",
        options.name,
        known.entry.has_dropout ? "at least 0 and below 1"
                                : "0, as it has none",
        options.dropout));
  }
}

std::shared_ptr<Model> make_model(const ModelOptions& options) {
  check_model(options);
  return kind(options.name).make(options);
}

int64_t parameter_count(const ModelEntry& entry) {
  const auto model = make_model(
      {.name = entry.name,
       .sample_shape = entry.sample_shape,
       .classes = entry.classes,
       .tokens = entry.tokens,
       .pairs = entry.pairs,
       .blank = true});
  int64_t count = 0;
  for (const auto& parameter : model->parameters())
    count += parameter.numel();
  return count;
}

} // namespace grapevine::model
