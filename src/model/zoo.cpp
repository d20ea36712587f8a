// The table of models: a new one is its own pair of files and one entry here.
#include "model/zoo.h"

#include "base/error.h"
#include "base/names.h"
#include "model/cnn.h"
#include "model/mlp.h"
#include "model/resnet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

namespace grapevine::model {
namespace {

struct Kind {
  ModelEntry entry;
  // Images of at least this side; 0: any shape at all.
  int64_t smallest_side;
  std::shared_ptr<Model> (*make)(const ModelOptions&);
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> table = {
      {{.name = "mlp",
        .task = "image classification",
        .summary = "perceptron with two hidden layers of 128",
        .sample_shape = {1, 28, 28},
        .classes = 10},
       0,
       make_mlp},
      {{.name = "cnn",
        .task = "image classification",
        .summary = "two 3x3 convolutions (16, 32 channels) and a linear layer",
        .sample_shape = {1, 28, 28},
        .classes = 10},
       4,
       make_cnn},
      {{.name = "resnet20",
        .task = "image classification",
        .summary = "ResNet20 for CIFAR, parameter-free shortcuts",
        .sample_shape = {3, 32, 32},
        .classes = 10},
       8,
       make_resnet20}};
  return table;
}

const Kind& kind(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& known : kinds()) {
    if (known.entry.name == name) return known;
    names.push_back(known.entry.name);
  }
  throw ConfigError(unknown_name("model", name, names));
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
  const int64_t side = kind.smallest_side;
  if (side > 0) {
    fits = fits && shape.size() == 3 && shape[1] >= side && shape[2] >= side;
  }
  if (fits) return;
  throw ConfigError(fmt::format(
      "model '{}' cannot take samples of shape [{}]; it takes {}",
      kind.entry.name,
      fmt::join(shape, ", "),
      side > 0 ? fmt::format(
                     "[channels, rows, columns] with at least {} rows and "
                     "columns",
                     side)
               : std::string("any shape, of extents of at least 1")));
}

} // namespace

const std::vector<ModelEntry>& model_table() {
  static const std::vector<ModelEntry> table = [] {
    std::vector<ModelEntry> entries;
    for (const auto& known : kinds())
      entries.push_back(known.entry);
    return entries;
  }();
  return table;
}

std::shared_ptr<Model> make_model(const ModelOptions& options) {
  const Kind& known = kind(options.name);
  check_shape(known, options);
  if (options.classes < 1) {
    throw ConfigError(fmt::format(
        "model '{}' with {} classes: expected at least 1",
        options.name,
        options.classes));
  }
  return known.make(options);
}

int64_t parameter_count(const ModelEntry& entry) {
  const auto model = make_model(
      {.name = entry.name,
       .sample_shape = entry.sample_shape,
       .classes = entry.classes});
  int64_t count = 0;
  for (const auto& parameter : model->parameters())
    count += parameter.numel();
  return count;
}

} // namespace grapevine::model
