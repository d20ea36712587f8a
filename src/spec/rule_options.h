// The part of a spec that names its local rule.
#pragma once

#include "optim/rules.h"
#include "spec/spec.h"

namespace grapevine::spec {

optim::RuleOptions rule_options(const Spec& spec);

} // namespace grapevine::spec
