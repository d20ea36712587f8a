#include "data/sharder.h"

#include "base/error.h"
#include "data/length_sharder.h"
#include "data/shuffled_sharder.h"
#include "data/stream_sharder.h"

#include <fmt/format.h>

namespace grapevine::data {
namespace {

// Of what only samples for themselves can be.
void check_plain(const ShardOptions& options, const std::string& how) {
  if (options.split) {
    throw ConfigError(fmt::format("split: {}, so iid is the only one", how));
  }
  if (options.partial == PartialBatches::kKeep) {
    throw ConfigError(fmt::format("partial keep: {}", how));
  }
}

} // namespace

void check(const ShardOptions& options) {
  if (options.workers < 1) {
    throw ConfigError(
        fmt::format("{} workers: expected at least 1", options.workers));
  }
  if (options.batch < 1) {
    throw ConfigError(
        fmt::format("batch {}: expected at least 1", options.batch));
  }
}

std::shared_ptr<const Sharder> make_sharder(
    const Source& source,
    const ShardOptions& options) {
  if (options.in_streams && source.reading() == Reading::kStreams) {
    check_plain(options, "these data are read in streams of equal length");
    return std::make_shared<StreamSharder>(source.size(), options);
  }
  if (source.reading() == Reading::kByLength) {
    check_plain(options, "these data are dealt in batches of like lengths");
    return std::make_shared<LengthSharder>(source.lengths(), options);
  }
  return std::make_shared<ShuffledSharder>(source.size(), options);
}

} // namespace grapevine::data
