#include "record/schema.h"

#include "base/check.h"
#include "record/dispersion.h"

#include <algorithm>
#include <array>

namespace grapevine::record {
namespace {

constexpr bool kBand = true;

SeriesTable steps() {
  return {
      .type = "step",
      .name = "steps",
      .title = "training",
      .path = {"steps"},
      .series = {
          {"loss", "loss", "training loss", "", Per::kWorker, kBand},
          {"lr", "lr", "learning rate", ""},
          {"degree", "degree", "degree", "connections"},
      }};
}

SeriesTable evaluations() {
  return {
      .type = "evaluation",
      .name = "evaluations",
      .title = "evaluation",
      .path = {"evaluations"},
      .series = {
          {"test_accuracy",
           "accuracy",
           "test accuracy",
           "",
           Per::kWorker,
           kBand},
          {"averaged_model_accuracy",
           "averaged_accuracy",
           "test accuracy of the averaged model",
           ""},
          {"test_loss", "loss", "test loss", "", Per::kWorker, kBand},
          {"averaged_model_loss",
           "averaged_loss",
           "test loss of the averaged model",
           ""},
          {"train_loss", "train_loss", "training loss of the epoch", ""},
      }};
}

SeriesTable probes() {
  SeriesTable table{
      .type = "dispersion",
      .name = "probes",
      .title = "probes",
      .path = {"probes"}};
  for (const Metric& metric : metric_table()) {
    table.series.push_back(
        {metric.name,
         metric.name,
         metric.title,
         "",
         Per::kTensor,
         kBand,
         "metrics"});
  }
  table.series.insert(
      table.series.end(),
      {{"consensus_distance",
        "consensus_distance",
        "consensus distance",
        "",
        Per::kRun,
        kBand},
       {"gradient_norm",
        "gradient_norm",
        "gradient norm",
        "",
        Per::kTensor,
        kBand},
       {"update_ratio",
        "update_ratio",
        "update ratio",
        "",
        Per::kTensor,
        kBand}});
  return table;
}

// Of asynchronous runs.
SeriesTable gossip() {
  const auto series = [](const char* key,
                         const char* name,
                         const char* title,
                         const char* unit,
                         const char* per_count) {
    return Series{
        .key = key,
        .name = name,
        .title = title,
        .unit = unit,
        .per = Per::kWorker,
        .per_count = per_count};
  };
  return {
      .type = "gossip",
      .name = "gossip",
      .title = "averagings",
      .path = {"gossip", "curves"},
      .is_optional = true,
      .is_cumulative = true,
      .series = {
          series(
              "averagings",
              "rate",
              "averagings per gradient",
              "",
              "gradients"),
          series(
              "staleness",
              "staleness",
              "staleness",
              "gradients",
              "averagings"),
          series(
              "wait_seconds",
              "wait",
              "wait for a partner",
              "s",
              "averagings"),
          series(
              "held_seconds",
              "held",
              "time held back per gradient",
              "s",
              "gradients"),
      }};
}

// Of Ada with `ada = "auto"`: the spread that steers k.
SeriesTable density() {
  return {
      .type = "density",
      .name = "density",
      .title = "Ada's choice of k",
      .path = {"density"},
      .is_optional = true,
      .series = {
          {"spread", "spread", "spread of the norms", ""},
          {"level", "level", "spread below which k shrinks", ""},
          {"k", "k", "k", "connections"},
      }};
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
  static const std::vector<SeriesTable> tables =
      {steps(), evaluations(), probes(), gossip(), density()};
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
