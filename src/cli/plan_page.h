// The report's page with a plan in it instead of runs.
#pragma once

#include "sim/recommend.h"

#include <filesystem>
#include <vector>

namespace grapevine::cli {

// ConfigError in a build without the page, IoError where the file cannot be
// written.
void write_plan_page(
    const std::filesystem::path& file,
    const sim::Question& question,
    const sim::Forecast& forecast,
    const std::vector<sim::Recommendation>& recommendations);

} // namespace grapevine::cli
