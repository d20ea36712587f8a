#include "record/schema.h"

#include "base/check.h"
#include "record/dispersion.h"

#include <algorithm>
#include <array>

namespace grapevine::record {
namespace {

Series number(
    const char* key,
    const char* name,
    const char* title,
    const char* unit = "") {
  return {.key = key, .name = name, .title = title, .unit = unit};
}

Series band(Per per, const char* key, const char* name, const char* title) {
  return {
      .key = key,
      .name = name,
      .title = title,
      .per = per,
      .has_band = true};
}

Series optional(Series series) {
  series.is_optional = true;
  return series;
}

// A count of asynchronous workers for each of another count.
Series rate(
    const char* key,
    const char* name,
    const char* title,
    const char* unit,
    const char* per_count) {
  return {
      .key = key,
      .name = name,
      .title = title,
      .unit = unit,
      .per = Per::kWorker,
      .per_count = per_count};
}

std::vector<Series> probed() {
  std::vector<Series> all;
  for (const Metric& metric : metric_table()) {
    all.push_back(
        {.key = metric.name,
         .name = metric.name,
         .title = metric.title,
         .per = Per::kTensor,
         .has_band = true,
         .folder = "metrics"});
  }
  const auto add = [&](Per per, const char* name, const char* title) {
    all.push_back(band(per, name, name, title));
  };
  add(Per::kRun, "consensus_distance", "consensus distance");
  add(Per::kTensor, "gradient_norm", "gradient norm");
  add(Per::kTensor, "update_ratio", "update-to-weight ratio");
  return all;
}

std::vector<SeriesTable> make_tables() {
  return {
      {.type = "step",
       .name = "steps",
       .title = "training",
       .path = {"steps"},
       .series =
           {band(Per::kWorker, "loss", "loss", "training loss"),
            number("lr", "lr", "learning rate"),
            number("degree", "degree", "neighbours of a worker")}},
      {.type = "evaluation",
       .name = "evaluations",
       .title = "evaluation",
       .path = {"evaluations"},
       .series =
           {band(Per::kWorker, "test_accuracy", "accuracy", "test accuracy"),
            number(
                "averaged_model_accuracy",
                "averaged_accuracy",
                "test accuracy of the averaged model"),
            band(Per::kWorker, "test_loss", "loss", "test loss"),
            number(
                "averaged_model_loss",
                "averaged_loss",
                "test loss of the averaged model"),
            number("train_loss", "train_loss", "training loss of the epoch"),
            optional(band(
                Per::kWorker,
                "test_perplexity",
                "perplexity",
                "test perplexity")),
            optional(number(
                "averaged_model_perplexity",
                "averaged_perplexity",
                "test perplexity of the averaged model")),
            optional(band(
                Per::kWorker,
                "test_top5",
                "top5",
                "test accuracy in the top 5")),
            optional(number(
                "averaged_model_top5",
                "averaged_top5",
                "top-5 accuracy of the averaged model")),
            optional(number("bleu", "bleu", "BLEU of the averaged model"))}},
      {.type = "dispersion",
       .name = "probes",
       .title = "probes",
       .path = {"probes"},
       .series = probed()},
      {.type = "norms",
       .name = "gradients",
       .title = "gradients",
       .path = {"gradients"},
       .is_optional = true,
       .series = {band(
           Per::kWorker,
           "gradient_norms",
           "norm",
           "norm of a worker's whole gradient")}},
      {.type = "gossip",
       .name = "gossip",
       .title = "averagings",
       .path = {"gossip", "curves"},
       .is_optional = true,
       .is_cumulative = true,
       .series =
           {rate(
                "averagings",
                "rate",
                "averagings per gradient",
                "",
                "gradients"),
            rate(
                "staleness",
                "staleness",
                "staleness",
                "gradients",
                "averagings"),
            rate("wait_seconds", "wait", "wait", "s", "averagings"),
            rate("held_seconds", "held", "time held back", "s", "gradients")}},
      // Of Ada with `ada = "auto"`: the spread that steers k.
      {.type = "density",
       .name = "density",
       .title = "Ada's choice of k",
       .path = {"density"},
       .is_optional = true,
       .series = {
           number("spread", "spread", "spread of the norms"),
           number("level", "level", "spread below which k shrinks"),
           number("k", "k", "k")}}};
}

} // namespace

std::string_view name(Per per) {
  constexpr std::array<std::string_view, 3> kNames = {
      "run",
      "worker",
      "tensor"};
  return kNames[static_cast<size_t>(per)];
}

int SeriesTable::index(std::string_view series_name) const {
  const auto found = std::ranges::find(series, series_name, &Series::name);
  GV_CHECK(found != series.end());
  return static_cast<int>(found - series.begin());
}

const std::vector<SeriesTable>& series_tables() {
  static const std::vector<SeriesTable> tables = make_tables();
  return tables;
}

const SeriesTable& series_table(std::string_view name) {
  const auto& tables = series_tables();
  const auto found = std::ranges::find(tables, name, &SeriesTable::name);
  GV_CHECK(found != tables.end());
  return *found;
}

std::span<const AxisSeries> axis_series() {
  static const std::array<AxisSeries, 4> axes = {{
      {.name = "bytes",
       .csv_name = "bytes_per_worker",
       .title = "bytes sent per worker",
       .unit = "bytes",
       .is_total = true},
      {.name = "messages",
       .csv_name = "messages_per_worker",
       .title = "messages sent per worker",
       .is_total = true},
      {.name = "seconds",
       .csv_name = "seconds",
       .title = "training time",
       .unit = "s"},
      {.name = "virtual_seconds",
       .csv_name = "virtual_seconds",
       .title = "virtual time",
       .unit = "s",
       .is_optional = true},
  }};
  return axes;
}

} // namespace grapevine::record
