// Which options tell runs of one kind apart.
//
// In a matrix of presets, ada-level may differ between runs, but says nothing
// of a ring. A kind is what has the same preset, agreement and graph; a key
// belongs in a run's label where it varies within the run's kind.
#pragma once

#include "spec/spec.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace grapevine::spec {

class Kinds {
 public:
  // Of all the runs that are to be told apart.
  Kinds(
      const std::vector<const Spec*>& specs,
      const std::vector<std::string>& keys);

  // Whether the key differs between runs of this one's kind.
  bool varies(const Spec& spec, const std::string& key) const;

 private:
  std::map<std::string, std::set<std::string>> varying_; // keys by kind
};

} // namespace grapevine::spec
