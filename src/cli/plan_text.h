// Predictions as a person reads them, in a terminal or as a page.
#pragma once

#include "sim/recommend.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace grapevine::cli {

// What was asked, in a few lines.
std::string query_text(const sim::Query& query);
// A table for each n, the fastest first, and what is not possible.
std::string predictions_text(std::span<const sim::Prediction> predictions);
std::string recommendation_text(const sim::Recommendation& recommendation);

// Writes the report's page with a plan in it instead of runs. ConfigError in a
// build without the page, IoError if the file cannot be written.
void write_plan_page(
    const std::filesystem::path& file,
    const sim::Query& query,
    std::span<const sim::Prediction> predictions,
    const std::vector<sim::Recommendation>& recommendations);

} // namespace grapevine::cli
