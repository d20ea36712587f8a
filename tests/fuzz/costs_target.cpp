#include "fuzz/support.h"
#include "sim/costs.h"

namespace grapevine::fuzz {

// What was read is written and read again.
void read_costs(Bytes input) {
  const auto costs =
      sim::costs_from_json(std::string(text_of(input)), "input.json");
  const auto text = sim::to_json_text(costs);
  GV_CHECK(sim::costs_from_json(text, "again.json") == costs);
}

} // namespace grapevine::fuzz
