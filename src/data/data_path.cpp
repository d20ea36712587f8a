#include "data/data_path.h"

#include <cstdlib>

namespace grapevine::data {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

} // namespace

std::string default_data_cache() {
  if (const auto cache = environment("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/grapevine";
  }
  const auto home = environment("HOME");
  return home.empty() ? std::string() : home + "/.cache/grapevine";
}

std::vector<std::string> default_data_path() {
  std::vector<std::string> places;
  for (const auto& place :
       {environment("GRAPEVINE_DATA"),
        default_data_cache(),
        std::string("/usr/share/datasets")}) {
    if (!place.empty()) places.push_back(place);
  }
  return places;
}

} // namespace grapevine::data
