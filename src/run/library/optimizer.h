// The public options of an optimizer, as the layers below take them.
#pragma once

#include <grapevine/optimizer.h>

#include "algo/rules.h"

namespace grapevine::run {

algo::RuleOptions rule_options(const Optimizer& optimizer);
double& learning_rate(Optimizer& optimizer);

} // namespace grapevine::run
