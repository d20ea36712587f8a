// The public options of an optimizer, as the layers below take them.
#pragma once

#include <grapevine/optimizer.h>

#include "optim/rules.h"

namespace grapevine::api {

optim::RuleOptions rule_options(const Optimizer& optimizer);
double& learning_rate(Optimizer& optimizer);

} // namespace grapevine::api
