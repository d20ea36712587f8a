#include "report/run_data.h"

#include <cmath>

namespace grapevine::report {

double phase_of(const Phases& phases, int phase) {
  const std::array values = {
      phases.all,
      phases.early,
      phases.middle,
      phases.late};
  return values.at(static_cast<size_t>(phase));
}

bool RunData::counts() const {
  return (outcome == "completed" || outcome == "diverged") &&
         std::isfinite(accuracy);
}

double number_in(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return kNan;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return kNan;
  return found->get<double>();
}

} // namespace grapevine::report
