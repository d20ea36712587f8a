// The plan of a benchmark for people and scripts, before anything starts.
#pragma once

#include "cli/bench_needs.h"
#include "cli/bench_plan.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace grapevine::cli {

// "18 runs in runs/x: 12 done before, 6 to do; 2 at once, about 3:05, 410 MB".
std::string plan_line(const BenchPlan& plan, const BenchNeeds& needs);

// A row for each run, then the totals.
std::string dry_run_text(const BenchPlan& plan, const BenchNeeds& needs);
// docs/cli.md has the names.
nlohmann::json dry_run_json(const BenchPlan& plan, const BenchNeeds& needs);

} // namespace grapevine::cli
