// What differs between runs, and which runs belong together.
#pragma once

#include "report/run_data.h"

#include <map>
#include <string>
#include <vector>

namespace grapevine::report {

// Key and value as people write it ("ring", "0.05"), in the table's order.
using Choices = std::vector<std::pair<std::string, std::string>>;

// Runs that differ in the seed only: one implementation at one scale.
struct Group {
  int id = 0;
  std::string label; // "ada n 96"; unique
  Choices keys;      // of those that differ between runs, without the seed
  // Which comparison it takes part in: the keys that differ and do not name
  // an implementation, such as n and lr-scaling.
  Choices stratum;
  std::string implementation; // the label without the stratum
  int n = 0;
  bool decentralized = false;
  std::vector<int> runs; // indices
};

struct Grouping {
  std::vector<std::string> keys;   // that differ, in the table's order
  Choices common;                  // the others that decide a result
  std::vector<Group> groups;       // in the order of their first runs
  std::vector<int> group_of;       // by run
  std::vector<std::string> labels; // by run: "ada n 96 seed 1"
};

// By the table's keys in its order, presets as they are documented, numbers by
// size; equal ones stay in order.
void sort_runs(std::vector<RunData>& runs);

// Headers are enough.
Grouping group_runs(const std::vector<RunData>& runs);

// Returns the value of a spec's key as people write it; "–" if it is empty.
std::string choice_text(const spec::Spec& spec, const std::string& key);

// "n = 96, lr-scaling = sqrt"; empty for no choices.
std::string to_text(const Choices& choices);

// Returns the value of a key; empty if it is not among them.
std::string value_of(const Choices& choices, const std::string& key);

} // namespace grapevine::report
