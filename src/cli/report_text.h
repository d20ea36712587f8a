// A report as a person reads it in a terminal.
#pragma once

#include "report/report.h"

#include <string>

namespace grapevine::cli {

// Rankings, costs to the target, correlations, findings, waits, notes and
// what was skipped; sections without content are left out.
std::string report_text(const report::ReportData& data);

} // namespace grapevine::cli
