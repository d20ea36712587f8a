#include "base/error.h"
#include "base/link_options.h"
#include "base/random.h"
#include "base/text_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace grapevine {
namespace {

[[noreturn]] void refuse_slow(std::string_view word) {
  throw ConfigError(fmt::format(
      "expected RANK:FACTOR or random:SHARE:FACTOR, with a share above 0 and "
      "at most 1 and a factor of at least 1, like 3:2.0 or random:0.1:2.0, "
      "got '{}'",
      word));
}

double slow_number(
    std::string_view text,
    double least,
    double most,
    std::string_view word) {
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) refuse_slow(word);
  return *value;
}

constexpr double kMostFactor = 1e6;

void add_worker(
    SlowOptions& slow,
    std::span<const std::string_view> parts,
    std::string_view word) {
  const auto rank = rank_of(parts[0]);
  if (!rank) refuse_slow(word);
  if (std::ranges::find(slow.workers, *rank, &SlowWorker::rank) !=
      slow.workers.end()) {
    throw ConfigError(fmt::format("worker {} is named twice", *rank));
  }
  slow.workers.push_back({*rank, slow_number(parts[1], 1, kMostFactor, word)});
}

void add_random(
    SlowOptions& slow,
    std::span<const std::string_view> parts,
    std::string_view word) {
  if (slow.random_share > 0) throw ConfigError("random is given twice");
  slow.random_share = slow_number(parts[1], 0, 1, word);
  if (slow.random_share == 0) refuse_slow(word);
  slow.random_factor = slow_number(parts[2], 1, kMostFactor, word);
}

} // namespace

SlowOptions parse_slow(std::string_view text) {
  SlowOptions slow;
  if (trim(text).empty()) return slow;
  for (const std::string_view word : split(text, ',')) {
    const auto parts = split(word, ':');
    if (parts.size() == 2) {
      add_worker(slow, parts, word);
    } else if (parts.size() == 3 && parts[0] == "random") {
      add_random(slow, parts, word);
    } else {
      refuse_slow(word);
    }
  }
  std::ranges::sort(slow.workers, {}, &SlowWorker::rank);
  return slow;
}

std::string format_slow(const SlowOptions& slow) {
  std::string text;
  const auto add = [&](const std::string& word) {
    if (!text.empty()) text += ',';
    text += word;
  };
  for (const SlowWorker& worker : slow.workers)
    add(fmt::format("{}:{}", worker.rank, worker.factor));
  if (slow.random_share > 0) {
    add(fmt::format("random:{}:{}", slow.random_share, slow.random_factor));
  }
  return text;
}

void check_slow_workers(const SlowOptions& slow, int n) {
  for (const SlowWorker& worker : slow.workers) {
    if (worker.rank < n) continue;
    throw ConfigError(fmt::format(
        "there is no worker {} to slow down; the {} workers are 0 to {}",
        worker.rank,
        n,
        n - 1));
  }
}

double
slow_factor(const SlowOptions& slow, uint64_t seed, int rank, int64_t step) {
  double factor = 1;
  for (const SlowWorker& worker : slow.workers) {
    if (worker.rank == rank) factor *= worker.factor;
  }
  if (slow.random_share > 0) {
    Random random(seed, Purpose::kSlow, rank, step);
    if (random.uniform() < slow.random_share) factor *= slow.random_factor;
  }
  return factor;
}

} // namespace grapevine
