// Forecasts as a person reads them in a terminal.
#pragma once

#include "sim/recommend.h"

#include <string>

namespace grapevine::cli {

// What was asked, in a few lines.
std::string question_text(const sim::Question& question);
// A table for each n, the fastest first.
std::string forecast_text(const sim::Forecast& forecast);
std::string recommendation_text(const sim::Recommendation& recommendation);

} // namespace grapevine::cli
