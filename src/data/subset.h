// A fixed part of a source: small experiments on real data.
#pragma once

#include "data/source.h"

#include <memory>

namespace grapevine::data {

// `samples` of them, chosen at random but the same ones for every run and
// seed, so that runs differ in what they are meant to. ConfigError for more
// than there are.
std::shared_ptr<const Source> make_subset(
    std::shared_ptr<const Source> whole,
    int64_t samples);

} // namespace grapevine::data
