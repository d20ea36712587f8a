#include "spec/spec_table.h"

namespace grapevine::spec {

const std::vector<Preset>& preset_table() {
  static const std::vector<Preset> table = {
      {.name = "c-complete",
       .summary = "centralized: gradients averaged over all workers",
       .agreement = "allreduce",
       .optimizer = "sgd",
       .graph = "complete"},
      {.name = "d-ring",
       .summary = "decentralized: parameters averaged with 2 neighbours",
       .agreement = "adapt-then-combine",
       .optimizer = "sgd",
       .graph = "ring"},
      {.name = "d-torus",
       .summary = "decentralized: parameters averaged with 4 neighbours",
       .agreement = "adapt-then-combine",
       .optimizer = "sgd",
       .graph = "torus"},
      {.name = "d-exponential",
       .summary = "decentralized: neighbours at distances 1, 2, 4, …",
       .agreement = "adapt-then-combine",
       .optimizer = "sgd",
       .graph = "exponential"},
      {.name = "d-complete",
       .summary = "decentralized: parameters averaged over all workers",
       .agreement = "adapt-then-combine",
       .optimizer = "sgd",
       .graph = "complete"},
      {.name = "ada",
       .summary = "decentralized: a lattice that thins out with the epochs",
       .agreement = "adapt-then-combine",
       .optimizer = "sgd",
       .graph = "ada"},
      {.name = "ada-auto",
       .summary = "decentralized: a lattice as dense as the spread asks for",
       .agreement = "adapt-then-combine",
       .optimizer = "sgd",
       .graph = "ada",
       .ada = "auto"},
  };
  return table;
}

} // namespace grapevine::spec
