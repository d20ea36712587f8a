// Where the tests look for the data sets that only some machines have.
#pragma once

#include "data/source.h"

#include <cstdlib>
#include <string>

namespace grapevine::data {

inline DataOptions test_data(const std::string& name) {
  const char* folder = std::getenv("GRAPEVINE_DATA");
  DataOptions options{.name = name};
  options.search_path.insert(
      options.search_path.begin(),
      folder != nullptr ? folder : GV_DEFAULT_TEST_DATA);
  return options;
}

} // namespace grapevine::data
