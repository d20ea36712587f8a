#include "spec/matrix.h"

#include "base/error.h"
#include "spec/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace grapevine::spec {
namespace {

void remember(std::vector<std::string>& keys, const std::string& key) {
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
    keys.push_back(key);
  }
}

void refuse_overlap(const TomlFile& file) {
  for (const Axis& axis : file.matrix) {
    for (const Assignments& run : file.runs) {
      for (const Assignment& assignment : run) {
        if (assignment.key != axis.key) continue;
        throw ConfigError(fmt::format(
            "{}: '{}' is also in [matrix], at {}",
            assignment.origin,
            axis.key,
            axis.origin));
      }
    }
  }
}

// A slip in a list must not fill the memory.
void refuse_too_many(const TomlFile& file) {
  constexpr size_t kMostRuns = 10'000;
  size_t runs = std::max<size_t>(file.runs.size(), 1);
  for (const Axis& axis : file.matrix) {
    runs *= axis.values.size();
    if (runs <= kMostRuns) continue;
    throw ConfigError(fmt::format(
        "{}: {}: expected a matrix of at most {} runs, got more",
        axis.origin,
        axis.key,
        kMostRuns));
  }
}

// All combinations, the last axis varying fastest.
std::vector<Assignments> combinations(const std::vector<Axis>& axes) {
  std::vector<Assignments> all = {{}};
  for (const Axis& axis : axes) {
    std::vector<Assignments> longer;
    for (const Assignments& head : all) {
      for (const Assignment& value : axis.values) {
        longer.push_back(head);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

} // namespace

Matrix parse_matrix(
    std::string_view toml,
    const std::string& file_name,
    const Flags& flags) {
  TomlFile file = read_toml(toml, file_name);
  refuse_overlap(file);
  const Assignments overrides = read_flags(flags);
  const auto is_flag = [&](const std::string& key) {
    return std::any_of(
        overrides.begin(),
        overrides.end(),
        [&](const Assignment& flag) { return flag.key == key; });
  };
  std::erase_if(file.matrix, [&](const Axis& axis) {
    return is_flag(axis.key);
  });
  if (file.runs.empty()) file.runs.push_back({});
  refuse_too_many(file);

  Matrix matrix;
  for (const Assignments& run : file.runs) {
    for (const Assignment& assignment : run) {
      if (!is_flag(assignment.key)) remember(matrix.varied, assignment.key);
    }
  }
  for (const Axis& axis : file.matrix)
    remember(matrix.varied, axis.key);

  std::set<std::string> seen;
  const std::vector<Assignments> cells = combinations(file.matrix);
  for (const Assignments& run : file.runs) {
    for (const Assignments& cell : cells) {
      const std::array<Assignments, 4> layers = {
          file.base,
          run,
          cell,
          overrides};
      ParsedSpec parsed = assemble(layers);
      if (seen.insert(to_toml(parsed.spec)).second) {
        matrix.runs.push_back(std::move(parsed));
      }
    }
  }
  return matrix;
}

} // namespace grapevine::spec
