// The table of models: a new one is a file of its own, a maker in
// model/models.h and a row here.
#include "model/zoo.h"

#include "base/error.h"
#include "base/names.h"
#include "model/models.h"
#include "model/script_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

namespace grapevine::model {
namespace {

struct Kind {
  ModelEntry entry;
  MakeModel make;
};

ModelEntry images(
    std::string name,
    std::string summary,
    int64_t smallest_side,
    std::vector<int64_t> sample_shape = {3, 32, 32},
    int classes = 10) {
  return {
      .name = std::move(name),
      .task = "image classification",
      .summary = std::move(summary),
      .sample_shape = std::move(sample_shape),
      .classes = classes,
      .smallest_side = smallest_side};
}

ModelEntry language(
    std::string name,
    std::string summary,
    int64_t context,
    int classes,
    bool carries_state = false) {
  return {
      .name = std::move(name),
      .task = "language model",
      .summary = std::move(summary),
      .sample_shape = {context},
      .classes = classes,
      .tokens = true,
      .has_dropout = true,
      .carries_state = carries_state};
}

ModelEntry translation(std::string name, std::string summary, int classes) {
  return {
      .name = std::move(name),
      .task = "translation",
      .summary = std::move(summary),
      .sample_shape = {202},
      .classes = classes,
      .tokens = true,
      .pairs = true,
      .has_dropout = true};
}

Kind gpt(ModelEntry entry, const GptSize& size) {
  return {std::move(entry), [size](const ModelOptions& options) {
            return make_gpt(options, size);
          }};
}

Kind lstm(std::string name, std::string summary, const LstmSize& size) {
  // Context and vocabulary are those of WikiText-2.
  return {
      language(std::move(name), std::move(summary), 35, 33278, true),
      [size](const ModelOptions& options) { return make_lstm(options, size); }};
}

Kind transformer(ModelEntry entry, const TransformerSize& size) {
  return {std::move(entry), [size](const ModelOptions& options) {
            return make_transformer(options, size);
          }};
}

std::vector<Kind> own_kinds() {
  constexpr int kShakespeare = 65; // characters of tiny-shakespeare
  constexpr int kGpt2 = 50257;
  constexpr int kPaper = 37000; // tokens of the transformer's paper
  constexpr int kSmall = 8195;  // 8192 byte pairs; pad, bos and eos
  return {
      {images(
           "mlp",
           "perceptron with two hidden layers of 128",
           0,
           {1, 28, 28}),
       make_mlp},
      {images(
           "cnn",
           "two 3x3 convolutions (16, 32 channels) and a linear layer",
           4,
           {1, 28, 28}),
       make_cnn},
      {images("resnet20", "ResNet20 for CIFAR, parameter-free shortcuts", 8),
       make_resnet},
      {images(
           "resnet8",
           "the same with 1 block a stage, for quick experiments",
           8),
       make_resnet},
      {images("resnet32", "the same with 5 blocks a stage", 8), make_resnet},
      {images("resnet56", "the same with 9 blocks a stage", 8), make_resnet},
      {images("resnet18", "ResNet18 with a 3x3 stem for small images", 8),
       make_resnet},
      {images(
           "resnet18-imagenet",
           "ResNet18 as published, for large images",
           8,
           {3, 224, 224},
           1000),
       make_resnet},
      {images(
           "resnet50",
           "ResNet50, bottlenecks with the stride in the 3x3",
           8,
           {3, 224, 224},
           1000),
       make_resnet},
      {images(
           "densenet100",
           "DenseNet-BC of depth 100 and growth 12 for CIFAR",
           8),
       make_densenet},
      {images(
           "densenet100-plain",
           "the same without bottleneck and compression",
           8),
       make_densenet},
      gpt(language(
              "gpt-nano",
              "decoder-only transformer, 2 layers, 2 heads, width 32",
              64,
              kShakespeare),
          {.layers = 2, .heads = 2, .width = 32}),
      gpt(language(
              "gpt-mini",
              "decoder-only transformer, 2 layers, 4 heads, width 128",
              64,
              kShakespeare),
          {.layers = 2, .heads = 4, .width = 128}),
      gpt(language(
              "gpt2-small",
              "GPT-2 small as published: 12 layers, 12 heads, width 768",
              1024,
              kGpt2),
          {.layers = 12, .heads = 12, .width = 768}),
      lstm(
          "lstm",
          "recurrent, 2 layers of 200, state carried along the text",
          kLstmSmall),
      lstm(
          "lstm-tied",
          "the same with one matrix for words in and out",
          kLstmTied),
      lstm(
          "lstm-large",
          "recurrent, 2 layers of 650, for dropout 0.5",
          kLstmLarge),
      transformer(
          translation(
              "transformer-tiny",
              "encoder-decoder, 3 layers each, 4 heads, width 256",
              kSmall),
          kTransformerTiny),
      transformer(
          translation(
              "transformer-base",
              "encoder-decoder, 6 layers each, 8 heads, width 512",
              kPaper),
          {.layers = 6, .heads = 8, .width = 512, .inner = 2048}),
      transformer(
          translation(
              "transformer-big",
              "encoder-decoder, 6 layers each, 16 heads, width 1024",
              kPaper),
          {.layers = 6, .heads = 16, .width = 1024, .inner = 4096})};
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
