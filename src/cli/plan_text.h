// Forecasts as a person reads them in a terminal.
#pragma once

#include "planner/recommend.h"

#include <string>

namespace grapevine::cli {

// What was asked, in a few lines.
std::string question_text(const planner::Question& question);
// A table for each n, the fastest first.
std::string forecast_text(const planner::Forecast& forecast);
std::string recommendation_text(const planner::Recommendation& recommendation);

} // namespace grapevine::cli
