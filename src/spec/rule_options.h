// The part of a spec that names its local rule.
#pragma once

#include "algo/rules.h"
#include "spec/spec.h"

namespace grapevine::spec {

algo::RuleOptions rule_options(const Spec& spec);

} // namespace grapevine::spec
