// Forecasts as JSON: what `grapevine plan --json` prints and the page reads.
// What is not finite is null; times in seconds, rates in bytes a second as
// --link counts them.
#pragma once

#include "sim/recommend.h"

#include <nlohmann/json_fwd.hpp>

namespace grapevine::sim {

// algorithm, graph, k (null where the graph takes none), n, flags.
nlohmann::ordered_json to_json(const Candidate& candidate);
// The candidate's, and seconds, compute, exposed, straggler, waited, gain
// (All-Reduce's seconds for the same n divided by these; null without it),
// messages_per_step, model_copies_per_step, plan, degree, spectral_gap,
// steps_to_agree.
nlohmann::ordered_json to_json(
    const Prediction& prediction,
    const Forecast& among);
// rows, skipped.
nlohmann::ordered_json to_json(const Forecast& forecast);
// n, rates, rows (a candidate's, and seconds, one for each rate).
nlohmann::ordered_json to_json(const Sweep& sweep);
// n, rate, use, fastest, regimes, sentences.
nlohmann::ordered_json to_json(
    const Recommendation& recommendation,
    const Forecast& among);
// What was asked: model, batch, bytes, link, slow, workers_per_node, seed.
nlohmann::ordered_json to_json(const Question& question);

} // namespace grapevine::sim
