#include "fuzz/support.h"
#include "spec/matrix.h"
#include "spec/spec_table.h"

namespace grapevine::fuzz {
namespace {

// Graphs of many workers take as long as they take, and files that a spec
// names have targets of their own.
bool is_quick(const spec::Spec& spec) {
  return spec.n <= 64 && spec.edges_file.empty() && spec.costs.empty();
}

void check_one(const spec::ParsedSpec& parsed) {
  const auto text = spec::to_toml(parsed.spec);
  const auto again = spec::parse_spec(text, "again.toml", {});
  GV_CHECK_EQ(spec::to_toml(again.spec), text);
  GV_CHECK_EQ(spec::spec_hash(again.spec), spec::spec_hash(parsed.spec));
  if (is_quick(parsed.spec)) spec::validate(parsed);
}

} // namespace

void read_spec(Bytes input) {
  Choices choices(input);
  if (choices.next(2) == 0) {
    check_one(spec::parse_spec(text_of(input), "input.toml", {}));
    return;
  }
  const auto matrix = spec::parse_matrix(text_of(input), "input.toml", {});
  GV_CHECK(!matrix.runs.empty());
  check_one(matrix.runs.front());
  check_one(matrix.runs.back());
}

} // namespace grapevine::fuzz
