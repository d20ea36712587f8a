#include "spec/toml_file.h"

#include "base/error.h"
#include "base/names.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace grapevine::spec {
namespace {

// From 1.
std::string line_of(std::string_view text, size_t number) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (size_t i = 0; i < number; ++i)
    std::getline(lines, line);
  return line;
}

// Whether the value in a line holds a word that is not within quotes. What
// toml++ says of it depends on the letter that it begins with.
bool has_bare_word(const std::string& line) {
  const size_t value = line.find('=');
  if (value == std::string::npos) return false;
  static const std::regex quoted_or_comment(R"("[^"]*"|'[^']*'|#.*)");
  static const std::regex word(R"((^|[\s\[,=])[A-Za-z])");
  return std::regex_search(
      std::regex_replace(line.substr(value + 1), quoted_or_comment, ""),
      word);
}

class Reader {
 public:
  explicit Reader(const std::string& file_name) : file_(file_name) {}

  TomlFile read(std::string_view text) const {
    TomlFile file;
    const toml::table root = parse(text);
    for (const auto& [key, node] : in_file_order(root)) {
      if (*key == "matrix") {
        note_matrix(file, *key);
        file.matrix = read_matrix(*key, *node);
      } else if (*key == "runs") {
        note_matrix(file, *key);
        file.runs = read_runs(*key, *node);
      } else {
        add(file.base, *key, *node);
      }
    }
    return file;
  }

 private:
  using Item = std::pair<const toml::key*, const toml::node*>;

  toml::table parse(std::string_view text) const {
    try {
      return toml::parse(text, file_);
    } catch (const toml::parse_error& error) {
      throw ConfigError(fmt::format(
          "{}:{}: {}{}",
          file_,
          error.source().begin.line,
          error.description(),
          has_bare_word(line_of(text, error.source().begin.line))
              ? "; text needs quotes, like model = \"mlp\""
              : ""));
    }
  }

  std::string place(const toml::source_region& source) const {
    return fmt::format("{}:{}", file_, source.begin.line);
  }

  // A toml::table is sorted by key; people read from top to bottom.
  static std::vector<Item> in_file_order(const toml::table& table) {
    std::vector<Item> items;
    for (const auto& [key, node] : table)
      items.emplace_back(&key, &node);
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      const auto& x = a.first->source().begin;
      const auto& y = b.first->source().begin;
      return std::pair(x.line, x.column) < std::pair(y.line, y.column);
    });
    return items;
  }

  void note_matrix(TomlFile& file, const toml::key& key) const {
    if (file.matrix_origin.empty()) file.matrix_origin = place(key.source());
  }

  const SpecEntry& entry_of(const toml::key& key, const toml::node& node)
      const {
    std::string name(key.str());
    std::replace(name.begin(), name.end(), '_', '-');
    if (const SpecEntry* entry = find_entry(name)) return *entry;
    std::vector<std::string> known = known_keys();
    known.insert(known.begin(), {"matrix", "runs"});
    const auto near = nearest_spelling(name, known);
    throw ConfigError(fmt::format(
        "{}: unknown {} '{}'{}",
        place(key.source()),
        node.is_table() ? "table" : "key",
        key.str(),
        near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }

  void add(Assignments& list, const toml::key& key, const toml::node& node)
      const {
    const SpecEntry& entry = entry_of(key, node);
    const std::string origin = place(key.source());
    for (const Assignment& other : list) {
      if (other.key != entry.key) continue;
      throw ConfigError(fmt::format(
          "{}: '{}' was given before, at {}",
          origin,
          key.str(),
          other.origin));
    }
    list.push_back({entry.key, text_of(entry, node, origin), origin});
  }

  // The value as text, if its TOML type is that of the key.
  static std::string text_of(
      const SpecEntry& entry,
      const toml::node& node,
      const std::string& origin) {
    const auto text = node.value_exact<std::string>();
    const auto whole = node.value_exact<int64_t>();
    const auto real = node.value_exact<double>();
    const auto truth = node.value_exact<bool>();
    if (entry.type == "text" && text) return *text;
    if (entry.type == "bytes" && text) return *text;
    if (entry.type == "yes/no" && truth) return *truth ? "true" : "false";
    if (entry.type == "numbers" && node.is_array()) {
      std::vector<std::string> parts;
      for (const toml::node& part : *node.as_array()) {
        parts.push_back(number_text(entry, part, origin));
      }
      return fmt::format("[{}]", comma_list(parts));
    }
    const bool takes_number = entry.type == "integer" ||
                              entry.type == "number" || entry.type == "bytes";
    if (takes_number && (whole || real)) {
      return number_text(entry, node, origin);
    }
    refuse_type(entry, node, origin);
  }

  static std::string number_text(
      const SpecEntry& entry,
      const toml::node& node,
      const std::string& origin) {
    if (const auto whole = node.value_exact<int64_t>()) {
      return fmt::format("{}", *whole);
    }
    if (const auto real = node.value_exact<double>()) {
      // 8.0 is no integer, though its shortest form would be.
      const std::string text = toml_number(*real);
      const bool looks_whole =
          text.find_first_not_of("-0123456789") == std::string::npos;
      return looks_whole ? text + ".0" : text;
    }
    refuse_type(entry, node, origin);
  }

  [[noreturn]] static void refuse_type(
      const SpecEntry& entry,
      const toml::node& node,
      const std::string& origin) {
    std::string expected = entry.type;
    if (expected == "text") expected = "text in quotes";
    if (expected == "yes/no") expected = "true or false";
    if (expected == "number") expected = "a number";
    if (expected == "numbers") expected = "a list of numbers";
    if (expected == "integer") expected = "an integer";
    throw ConfigError(fmt::format(
        "{}: {}: expected {}, got {}",
        origin,
        entry.key,
        expected,
        type_name(node)));
  }

  static std::string type_name(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
      return fmt::format("the text '{}'", *text);
    }
    if (const auto whole = node.value_exact<int64_t>()) {
      return fmt::format("{}", *whole);
    }
    if (const auto real = node.value_exact<double>()) {
      return toml_number(*real);
    }
    if (const auto truth = node.value_exact<bool>()) {
      return *truth ? "true" : "false";
    }
    if (node.is_array()) return "a list";
    if (node.is_table()) return "a table";
    return "a date or time";
  }

  std::vector<Axis> read_matrix(const toml::key& key, const toml::node& node)
      const {
    if (!node.is_table()) {
      throw ConfigError(
          place(key.source()) + ": 'matrix' is a table: write [matrix]");
    }
    std::vector<Axis> axes;
    for (const auto& [name, list] : in_file_order(*node.as_table())) {
      axes.push_back(read_axis(*name, *list));
      for (size_t i = 0; i + 1 < axes.size(); ++i) {
        if (axes[i].key != axes.back().key) continue;
        throw ConfigError(fmt::format(
            "{}: '{}' was given before, at {}",
            axes.back().origin,
            name->str(),
            axes[i].origin));
      }
    }
    return axes;
  }

  Axis read_axis(const toml::key& key, const toml::node& node) const {
    const SpecEntry& entry = entry_of(key, node);
    Axis axis{entry.key, place(key.source()), {}};
    if (!node.is_array() || node.as_array()->empty()) {
      throw ConfigError(fmt::format(
          "{}: {}: expected a list of values, like [1, 2, 3]",
          axis.origin,
          entry.key));
    }
    for (const toml::node& value : *node.as_array()) {
      axis.values.push_back(
          {entry.key, text_of(entry, value, axis.origin), axis.origin});
    }
    return axis;
  }

  std::vector<Assignments> read_runs(
      const toml::key& key,
      const toml::node& node) const {
    if (!node.is_array_of_tables()) {
      throw ConfigError(
          place(key.source()) +
          ": 'runs' is a list of tables: write [[runs]] before each");
    }
    std::vector<Assignments> runs;
    for (const toml::node& run : *node.as_array()) {
      Assignments& list = runs.emplace_back();
      for (const auto& [name, value] : in_file_order(*run.as_table())) {
        add(list, *name, *value);
      }
    }
    return runs;
  }

  std::string file_;
};

} // namespace

TomlFile read_toml(std::string_view text, const std::string& file_name) {
  return Reader(file_name).read(text);
}

} // namespace grapevine::spec
