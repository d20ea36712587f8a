// A run's spec and result as people read them.
#pragma once

#include "run/trainer.h"
#include "spec/spec.h"

#include <string>

namespace grapevine::cli {

// What is about to happen, a few aligned lines.
std::string spec_summary(const spec::Spec& spec);
// What came out.
std::string result_summary(const run::TrainResult& result);

} // namespace grapevine::cli
