#include "base/error.h"
#include "base/json_depth.h"
#include "sim/costs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <limits>

namespace grapevine::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "grapevine-costs";
constexpr int kVersion = 1;

// JSON has no infinity; a rate without limit is null.
Json rate_json(double rate) {
  if (rate == kUnlimited) return nullptr;
  return rate;
}

// The JSON library takes any number for an integer, and cuts it.
template <typename T>
T integer_of(const Json& json) {
  constexpr T kMost = std::numeric_limits<T>::max();
  const bool fits =
      json.is_number_unsigned()
          ? json.get<uint64_t>() <= static_cast<uint64_t>(kMost)
          : json.is_number_integer() &&
                json.get<int64_t>() >= std::numeric_limits<T>::min();
  if (!fits) {
    throw ConfigError(fmt::format(
        "expected an integer of at most {}, got {}",
        kMost,
        json.dump()));
  }
  return json.get<T>();
}

double rate_of(const Json& json) {
  return json.is_null() ? kUnlimited : json.get<double>();
}

Json level_json(const std::optional<Level>& level) {
  if (!level) return nullptr;
  return {
      {"latency", level->latency},
      {"bandwidth", rate_json(level->bandwidth)},
      {"shared", rate_json(level->shared)}};
}

std::optional<Level> level_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Level{
      .latency = json.at("latency"),
      .bandwidth = rate_of(json.at("bandwidth")),
      .shared = rate_of(json.at("shared"))};
}

Json compute_json(const Compute& compute) {
  Json workers = Json::array();
  for (const auto& steps : compute.workers) {
    Json forward = Json::array();
    Json backward = Json::array();
    for (const ComputeSample& step : steps) {
      forward.push_back(step.forward);
      backward.push_back(step.backward);
    }
    workers.push_back({{"forward", forward}, {"backward", backward}});
  }
  return {
      {"model", compute.model},
      {"data", compute.data},
      {"batch", compute.batch},
      {"bucket_bytes", compute.bucket_bytes},
      {"update_seconds_per_byte", compute.update_seconds_per_byte},
      {"workers", workers}};
}

std::vector<ComputeSample> steps_of(const Json& json) {
  const Json& forward = json.at("forward");
  const Json& backward = json.at("backward");
  if (forward.size() != backward.size()) {
    throw ConfigError(fmt::format(
        "a worker has {} forward and {} backward passes",
        forward.size(),
        backward.size()));
  }
  std::vector<ComputeSample> steps;
  for (size_t t = 0; t < forward.size(); ++t) {
    steps.push_back(
        {.forward = forward[t],
         .backward = backward[t].get<std::vector<double>>()});
  }
  return steps;
}

Compute compute_of(const Json& json) {
  Compute compute;
  compute.model = json.at("model");
  compute.data = json.at("data");
  compute.batch = integer_of<int64_t>(json.at("batch"));
  for (const Json& bytes : json.at("bucket_bytes"))
    compute.bucket_bytes.push_back(integer_of<int64_t>(bytes));
  compute.update_seconds_per_byte = json.at("update_seconds_per_byte");
  for (const Json& worker : json.at("workers"))
    compute.workers.push_back(steps_of(worker));
  return compute;
}

Costs costs_of(const Json& json) {
  if (!json.is_object() || json.value("format", "") != kFormat) {
    throw ConfigError("not a file of costs (see `grapevine plan measure`)");
  }
  if (json.at("format_version") != kVersion) {
    throw ConfigError(fmt::format(
        "version {} of the format, and this program reads version {}",
        json.at("format_version").dump(),
        kVersion));
  }
  Costs costs;
  costs.compute = compute_of(json.at("compute"));
  costs.nodes = integer_of<int>(json.at("nodes"));
  costs.workers_per_node = integer_of<int>(json.at("workers_per_node"));
  costs.inside = level_of(json.at("inside"));
  costs.between = level_of(json.at("between"));
  for (const Json& node : json.at("node_rates")) {
    costs.node_rates.push_back(
        {.node = integer_of<int>(node.at("node")),
         .shared = rate_of(node.at("shared"))});
  }
  for (const Json& link : json.at("link_rates")) {
    costs.link_rates.push_back(
        {.a = integer_of<int>(link.at("a")),
         .b = integer_of<int>(link.at("b")),
         .latency = link.at("latency"),
         .bandwidth = rate_of(link.at("bandwidth"))});
  }
  check(costs);
  return costs;
}

} // namespace

std::string to_json_text(const Costs& costs) {
  Json node_rates = Json::array();
  for (const NodeRate& node : costs.node_rates) {
    node_rates.push_back(
        {{"node", node.node}, {"shared", rate_json(node.shared)}});
  }
  Json link_rates = Json::array();
  for (const LinkRate& link : costs.link_rates) {
    link_rates.push_back(
        {{"a", link.a},
         {"b", link.b},
         {"latency", link.latency},
         {"bandwidth", rate_json(link.bandwidth)}});
  }
  const Json json = {
      {"format", kFormat},
      {"format_version", kVersion},
      {"nodes", costs.nodes},
      {"workers_per_node", costs.workers_per_node},
      {"inside", level_json(costs.inside)},
      {"between", level_json(costs.between)},
      {"node_rates", node_rates},
      {"link_rates", link_rates},
      {"compute", compute_json(costs.compute)}};
  // A line for each key: a person may want to change a rate.
  std::string text = "{\n";
  for (const auto& [key, value] : json.items()) {
    text += fmt::format(
        "{}  {}: {}",
        text.size() > 2 ? ",\n" : "",
        Json(key).dump(),
        value.dump());
  }
  return text + "\n}\n";
}

Costs costs_from_json(const std::string& text, const std::string& name) {
  try {
    if (json_depth(text) > kDeepestJson) {
      throw ConfigError("not a file of costs: nested too deeply");
    }
    return costs_of(Json::parse(text));
  } catch (const Json::exception& error) {
    throw ConfigError(fmt::format("{}: {}", name, error.what()));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", name, error.what()));
  }
}

Costs read_costs(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text(
      (std::istreambuf_iterator<char>(stream)),
      std::istreambuf_iterator<char>());
  if (!stream) {
    throw IoError(fmt::format("{} cannot be read", file.string()));
  }
  return costs_from_json(text, file.string());
}

} // namespace grapevine::sim
