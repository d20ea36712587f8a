// Run directories as a trainer would leave them, of any size, with figures
// that are made up but plausible: sparser graphs and later steps behave as
// they should. For tests and for measuring.
#pragma once

#include "base/random.h"
#include "record/run_directory.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace grapevine::report {

struct GeneratedRun {
  std::string preset = "d-ring";
  int n = 8;
  uint64_t seed = 1;
  int64_t steps = 100;
  int64_t steps_per_epoch = 20;
  int64_t probe_every = 10; // 0 = never
  int tensors = 4;
  double accuracy = 0.8;             // about; the seed adds a little
  double spread = 1e-4;              // of the norms
  std::string outcome = "completed"; // "running" has no result
  std::vector<std::pair<std::string, std::string>> flags; // more of the spec
};

class RunGenerator {
 public:
  RunGenerator(std::filesystem::path directory, GeneratedRun options)
      : run_(std::move(directory)),
        options_(std::move(options)),
        random_(options_.seed, Purpose::kTest, options_.n) {}

  void write() {
    run_.create();
    run_.write_spec(spec::to_toml(make_spec()));
    write_records();
    nlohmann::json run = {{"outcome", options_.outcome}};
    if (options_.outcome != "running") run["result"] = result();
    run_.write_run(run);
  }

 private:
  using Text = std::string;

  spec::Spec make_spec() const {
    std::vector<std::pair<std::string, std::string>> flags = {
        {"preset", options_.preset},
        {"n", std::to_string(options_.n)},
        {"seed", std::to_string(options_.seed)},
        {"epochs",
         std::to_string(
             (options_.steps + options_.steps_per_epoch - 1) /
             options_.steps_per_epoch)}};
    flags.insert(flags.end(), options_.flags.begin(), options_.flags.end());
    return spec::parse_spec("", "", flags).spec;
  }

  double final_accuracy() const {
    return options_.accuracy + 0.001 * static_cast<double>(options_.seed % 7);
  }

  nlohmann::json result() const {
    return {
        {"run", run_.path().string()},
        {"outcome", options_.outcome},
        {"epochs", options_.steps / options_.steps_per_epoch},
        {"steps", options_.steps},
        {"train_loss", 0.5},
        {"test_accuracy", final_accuracy()},
        {"averaged_model_accuracy", final_accuracy() + 0.001},
        {"consensus_distance", options_.spread},
        {"parameters_sha256", std::string(64, '0')},
        {"samples_per_second", 1000.0},
        {"seconds", 0.01 * static_cast<double>(options_.steps)},
        {"virtual_seconds", nullptr},
        {"messages", 2 * options_.steps * options_.n},
        {"bytes", 2000 * options_.steps * options_.n}};
  }

  // n numbers round about a centre, as JSON.
  Text list(int count, double centre, double spread) {
    Text text = "[";
    for (int i = 0; i < count; ++i) {
      fmt::format_to(
          std::back_inserter(text),
          "{}{:.9g}",
          i == 0 ? "" : ",",
          centre * (1 + spread * random_.normal()));
    }
    return text + "]";
  }

  void write_records() {
    std::ofstream out(run_.records(0), std::ios::binary);
    out << "{\"format_version\":1,\"type\":\"format\"}\n" << attempt();
    for (int64_t step = 0; step < options_.steps; ++step) {
      out << step_line(step);
      if (options_.probe_every > 0 && step % options_.probe_every == 0) {
        out << norms_line(step) << dispersion_line(step);
      }
      if ((step + 1) % options_.steps_per_epoch == 0) {
        out << spans_line(step) << evaluation_line(step);
      }
    }
  }

  Text attempt() const {
    std::vector<int> workers;
    std::vector<Text> tensors;
    for (int i = 0; i < options_.n; ++i)
      workers.push_back(i);
    for (int i = 0; i < options_.tensors; ++i)
      tensors.push_back(fmt::format("layer{}.weight", i));
    return nlohmann::json{
               {"type", "attempt"},
               {"attempt", 0},
               {"step", 0},
               {"transport", "virtual"},
               {"tensors", tensors},
               {"workers", workers}}
               .dump() +
           "\n";
  }

  double progress(int64_t step) const {
    return static_cast<double>(step + 1) / static_cast<double>(options_.steps);
  }

  Text step_line(int64_t step) {
    return fmt::format(
        "{{\"attempt\":0,\"bytes\":{},\"degree\":2,\"epoch\":{},\"loss\":{},"
        "\"lr\":0.05,\"messages\":{},\"seconds\":{:.6f},\"step\":{},"
        "\"type\":\"step\"}}\n",
        2000 * options_.n,
        step / options_.steps_per_epoch,
        list(options_.n, 2.5 - 2 * progress(step), 0.05),
        2 * options_.n,
        0.01 * static_cast<double>(step + 1),
        step);
  }

  double spread_at(int64_t step) const {
    return options_.spread * (2 - progress(step));
  }

  Text norms_line(int64_t step) {
    Text rows;
    for (int i = 0; i < options_.n; ++i) {
      if (i > 0) rows += ',';
      rows += list(options_.tensors, 3, spread_at(step));
    }
    return fmt::format(
        "{{\"gradient_norms\":{},\"norms\":[{}],\"step\":{},"
        "\"type\":\"norms\"}}\n",
        list(options_.n, 1, 0.1),
        rows,
        step);
  }

  Text dispersion_line(int64_t step) {
    const double spread = spread_at(step);
    const int tensors = options_.tensors;
    return fmt::format(
        "{{\"coefficient_of_variation\":{},\"consensus_distance\":{:.9g},"
        "\"epoch\":{},\"gini\":{},\"gradient_norm\":{},"
        "\"index_of_dispersion\":{},\"quartile_coefficient\":{},\"step\":{},"
        "\"type\":\"dispersion\",\"update_ratio\":{}}}\n",
        list(tensors, spread, 0.1),
        spread * spread,
        step / options_.steps_per_epoch,
        list(tensors, spread / 2, 0.1),
        list(tensors, 1, 0.1),
        list(tensors, spread * spread, 0.1),
        list(tensors, spread / 3, 0.1),
        step,
        list(tensors, 0.01, 0.1));
  }

  Text spans_line(int64_t step) const {
    return fmt::format(
        "{{\"epoch\":{},\"seconds\":{{\"backward\":2.5,\"data\":0.1,"
        "\"evaluate\":1,\"exchange\":0.5,\"forward\":1.25,\"update\":0.25,"
        "\"wait\":0}},\"step\":{},\"type\":\"spans\"}}\n",
        step / options_.steps_per_epoch,
        step);
  }

  Text evaluation_line(int64_t step) {
    const double accuracy =
        final_accuracy() * (1 - 0.5 * std::exp(-4 * progress(step)));
    return fmt::format(
        "{{\"averaged_model_accuracy\":{:.6f},\"averaged_model_loss\":0.6,"
        "\"epoch\":{},\"step\":{},\"test_accuracy\":{},\"test_loss\":{},"
        "\"train_loss\":0.7,\"type\":\"evaluation\"}}\n",
        accuracy,
        step / options_.steps_per_epoch,
        step,
        list(options_.n, accuracy, 0.005),
        list(options_.n, 1 - accuracy, 0.005));
  }

  record::RunDirectory run_;
  GeneratedRun options_;
  Random random_;
};

} // namespace grapevine::report
