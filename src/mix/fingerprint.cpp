#include "mix/fingerprint.h"

#include "base/error.h"
#include "mix/bytes.h"
#include "mix/collectives.h"

#include <fmt/format.h>

#include <set>
#include <vector>

namespace grapevine::mix {
namespace {

constexpr const char* kAbsent = "(absent)";
// A layout can be long; the difference is named, not printed in full.
constexpr size_t kLongestValue = 200;

std::string pack(const Fingerprint& parts) {
  std::string packed;
  for (const auto& [name, value] : parts) {
    append(packed, name);
    append(packed, value);
  }
  return packed;
}

Fingerprint unpack(const std::string& packed) {
  Fingerprint parts;
  for (ByteReader reader(packed); !reader.is_done();) {
    std::string name = reader.text();
    parts[std::move(name)] = reader.text();
  }
  return parts;
}

std::string value_of(const Fingerprint& parts, const std::string& name) {
  const auto it = parts.find(name);
  return it == parts.end() ? kAbsent : it->second;
}

std::string shorten(const std::string& value) {
  if (value.size() <= kLongestValue) return value;
  return value.substr(0, kLongestValue) + "…";
}

// "worker 3", "workers 0, 1, 2 and 5 more".
std::string name_workers(const std::vector<int>& ranks) {
  constexpr size_t kMost = 8;
  std::string names = ranks.size() == 1 ? "worker " : "workers ";
  for (size_t i = 0; i < ranks.size() && i < kMost; ++i) {
    names += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > kMost) {
    names += fmt::format(" and {} more", ranks.size() - kMost);
  }
  return names;
}

// Throws if the workers do not have the same value of this part.
void compare_part(
    const std::vector<Fingerprint>& all,
    const std::string& name) {
  std::map<std::string, std::vector<int>> who;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    who[value_of(all[rank], name)].push_back(static_cast<int>(rank));
  }
  if (who.size() == 1) return;
  std::string sides;
  for (const auto& [value, ranks] : who) {
    if (!sides.empty()) sides += ", ";
    sides += fmt::format("'{}' on {}", shorten(value), name_workers(ranks));
  }
  throw ConfigError(fmt::format("workers disagree on {}: {}", name, sides));
}

} // namespace

void compare_fingerprints(Link& link, const Fingerprint& mine) {
  std::vector<Fingerprint> all;
  std::set<std::string> names;
  for (const std::string& text : all_gather(link, pack(mine))) {
    all.push_back(unpack(text));
    for (const auto& part : all.back())
      names.insert(part.first);
  }
  for (const std::string& name : names)
    compare_part(all, name);
}

} // namespace grapevine::mix
