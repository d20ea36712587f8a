// What a spec means to an asynchronous run, in virtual time or in processes.
#pragma once

#include "gossip/allowance.h"
#include "gossip/dynamics.h"
#include "gossip/statistics.h"
#include "train/setup.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace grapevine::train {

// The constants of the run's graph and rate; ConfigError where it has none.
gossip::Dynamics gossip_dynamics(const Setup& setup);
gossip::Averagings gossip_averagings(const Setup& setup);

// What the workers have done and waited for so far: docs/formats.md, "gossip".
nlohmann::json gossip_record(
    const graph::Moment& moment,
    const std::vector<gossip::Statistics>& workers);

// Counted for each word of the pairing; what it carries beside, too.
inline constexpr int64_t kWordBytes = 16;

} // namespace grapevine::train
