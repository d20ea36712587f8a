// docs/cli.md cannot drift: its list of options is the table's.
#include "cli/program_runner.h"
#include "spec/spec_table.h"

namespace grapevine::cli {
namespace {

constexpr const char* kBegin = "<!-- options: begin -->\n";
constexpr const char* kEnd = "<!-- options: end -->\n";

// A bar would end the cell.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string generated() {
  std::string text;
  std::string group;
  for (const spec::SpecEntry& entry : spec::spec_table()) {
    if (entry.group != group) {
      group = entry.group;
      text += "\n### " + group +
              "\n\n| flag | type | default | |\n"
              "|---|---|---|---|\n";
    }
    std::string help = entry.help;
    std::string choices;
    for (const std::string& word : entry.allowed) {
      choices += (choices.empty() ? "`" : ", `") + word + "`";
    }
    if (!choices.empty()) help += ": " + choices;
    text += "| `" + spec::flag_of(entry.key) + "` | " + entry.type + " | `" +
            entry.get_toml(spec::Spec{}) + "` | " + escaped(help) + " |\n";
  }
  return text + "\n";
}

// With GRAPEVINE_WRITE_DOCS set, writes the section instead of comparing it.
TEST(Docs, OptionsAreThoseOfTheTable) {
  const std::string file = std::string(GV_SOURCE_DIR) + "/docs/cli.md";
  std::string text = read_text(file);
  const size_t begin = text.find(kBegin);
  const size_t end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const size_t first = begin + std::string(kBegin).size();
  if (std::getenv("GRAPEVINE_WRITE_DOCS")) {
    text.replace(first, end - first, generated());
    std::ofstream(file) << text;
  } else {
    EXPECT_EQ(text.substr(first, end - first), generated())
        << "run cli_test --gtest_filter=Docs.* with GRAPEVINE_WRITE_DOCS=1";
  }
}

} // namespace
} // namespace grapevine::cli
