#include "spec/kinds.h"

#include "spec/spec_table.h"

namespace grapevine::spec {
namespace {

std::string kind_of(const Spec& spec) {
  return spec.preset + "\n" + spec.agreement + "\n" + spec.graph;
}

} // namespace

Kinds::Kinds(
    const std::vector<const Spec*>& specs,
    const std::vector<std::string>& keys) {
  std::map<std::string, const Spec*> first;
  for (const Spec* spec : specs) {
    const std::string kind = kind_of(*spec);
    const Spec* other = first.try_emplace(kind, spec).first->second;
    for (const std::string& key : keys) {
      const SpecEntry& entry = *find_entry(key);
      if (entry.get_toml(*spec) != entry.get_toml(*other)) {
        varying_[kind].insert(key);
      }
    }
  }
}

bool Kinds::varies(const Spec& spec, const std::string& key) const {
  const auto found = varying_.find(kind_of(spec));
  return found != varying_.end() && found->second.count(key) > 0;
}

} // namespace grapevine::spec
