// A fixed part of a source: small experiments on real data.
#pragma once

#include "data/source.h"

#include <memory>
#include <string>

namespace grapevine::data {

// `samples` of them, chosen at random but the same ones for every run and
// seed, so that runs differ in what they are meant to; of a text that is read
// in streams, the first. `option` is whose value it is, for messages.
// ConfigError for more than there are.
std::shared_ptr<const Source> make_subset(
    std::shared_ptr<const Source> whole,
    int64_t samples,
    const std::string& option);

} // namespace grapevine::data
