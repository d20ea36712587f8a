// Sentences, each where an interval says so.
#pragma once

#include "report/analysis.h"
#include "report/sample.h"

namespace grapevine::report {

// From what the analysis holds so far; correlations need 3 seeds, since of
// two the bootstrap knows too little.
std::vector<std::string> find(const Sample& sample, const Analysis& analysis);

} // namespace grapevine::report
