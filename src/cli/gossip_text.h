// What the terminal says about asynchronous runs.
#pragma once

#include "report/page_data.h"

#include <string>

namespace grapevine::cli {

// A row a run; of the only one also a row a worker, where these are few; and
// what stands out. Empty where no run is asynchronous.
std::string gossip_text(const report::ReportData& data);

} // namespace grapevine::cli
