// What a step costs on a cluster, as numbers: measured by `grapevine plan
// measure`, or given. Everything that the runtime model knows of a machine.
//
// A plain value; docs/formats.md specifies the file that holds one.
#pragma once

#include "base/link_options.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::sim {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// One step of one worker, in seconds: the forward pass, then backward until
// the gradients of bucket b are final, counted from those of bucket b-1.
struct ComputeSample {
  double forward = 0;
  std::vector<double> backward;

  double total() const;
  bool operator==(const ComputeSample&) const = default;
};

// Of one model and batch. Buckets stand in the order in which backward
// finishes them.
struct Compute {
  std::string model = {};
  std::string data = {};
  int64_t batch = 0; // a worker's
  std::vector<int64_t> bucket_bytes = {};
  // workers[w]: the steps that were measured on worker w, the t-th of all of
  // them at the same time. A run's worker i has those of worker i modulo their
  // number (sim/model.h).
  std::vector<std::vector<ComputeSample>> workers = {};
  // Mixing and local rule, for each byte of parameters.
  double update_seconds_per_byte = 0;

  int64_t model_bytes() const;
  // Over all steps of a worker, each bucket by itself.
  ComputeSample mean(int worker) const;
  // Forward and backward, mean over steps and workers.
  double mean_seconds() const;

  bool operator==(const Compute&) const = default;
};

// Links of one kind. Both ways at once: a worker sends and receives at
// `bandwidth`, all workers of a node together at `shared`, out and in.
struct Level {
  double latency = 0;            // seconds a message
  double bandwidth = kUnlimited; // bytes a second, one worker
  double shared = kUnlimited;    // bytes a second, a node's workers together

  bool operator==(const Level&) const = default;
};

// A node whose way out and way in differ from the others'.
struct NodeRate {
  int node = 0;
  double shared = kUnlimited;
  bool operator==(const NodeRate&) const = default;
};

// A pair of workers whose link differs from the others', both ways: it has
// this latency, and carries no more than this.
struct LinkRate {
  int a = 0;
  int b = 0;
  double latency = 0;
  double bandwidth = kUnlimited;
  bool operator==(const LinkRate&) const = default;
};

struct Costs {
  Compute compute = {};
  // Where they were measured: as many nodes, with so many workers each.
  int nodes = 1;
  int workers_per_node = 1;
  // Inside a node and between nodes; nothing where there was no such pair.
  std::optional<Level> inside = {};
  std::optional<Level> between = {};
  std::vector<NodeRate> node_rates = {};
  std::vector<LinkRate> link_rates = {};

  bool operator==(const Costs&) const = default;
};

// ConfigError with what is wrong: no bucket, no sample, a number of buckets
// that differs, times or rates that are negative or not numbers, rates of 0.
void check(const Costs& costs);

// The same bytes in the same order cut anew, into buckets of `bytes`, the last
// one perhaps shorter, as tensor/buckets.h cuts a plane. A bucket is final when
// the old one is that holds its last byte.
Compute with_buckets(const Compute& compute, int64_t bytes);

// The links between nodes as the words of --link have them, in place of those
// measured, single ones that differ included: rate less what packets' headers
// take; the delay on top of the latency inside a node, which is what a message
// costs without a network.
Costs with_link(Costs costs, const LinkOptions& link);

// The links of this level, and those that differ from it, at so many times the
// rate.
Costs with_faster_links(
    Costs costs,
    std::optional<Level> Costs::*level,
    double factor);

// The links between nodes as they are to a run with --packing: each byte of
// them carries more (net/packed/). What packing itself takes is not
// counted: it is a fiftieth of what a link of 1 Gbit/s takes. Nor is it that
// short messages are not packed, those of an all-reduce of buckets of 1 MiB
// over more than 64 workers, but for buckets that are all as short.
Costs with_packing(Costs costs);

// `bytes` in buckets of `bucket`, the last one perhaps shorter.
std::vector<int64_t> even_buckets(int64_t bytes, int64_t bucket);

// Costs without a measurement: every step the same. Backward is divided among
// the buckets by their bytes.
Compute uniform_compute(
    double forward_seconds,
    double backward_seconds,
    double update_seconds,
    std::vector<int64_t> bucket_bytes);

// The file of docs/formats.md. ConfigError where the text is not such a file
// (with `name`, what it came from), IoError where it cannot be read.
std::string to_json_text(const Costs& costs);
Costs costs_from_json(const std::string& text, const std::string& name);
Costs read_costs(const std::filesystem::path& file);

} // namespace grapevine::sim
