// Where the tests look for the data sets that only some machines have, and what
// a source has.
#pragma once

#include "data/source.h"

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

namespace grapevine::data {

inline DataOptions test_data(const std::string& name) {
  const char* folder = std::getenv("GRAPEVINE_DATA");
  DataOptions options{.name = name};
  options.search_path.insert(
      options.search_path.begin(),
      folder != nullptr ? folder : GV_DEFAULT_TEST_DATA);
  return options;
}

inline Batch gather(
    const Source& source,
    const std::vector<int64_t>& samples,
    const Draw* draw = nullptr) {
  Batch batch;
  source.gather(samples, batch, draw);
  return batch;
}

inline Batch gather_all(const Source& source) {
  std::vector<int64_t> samples(source.size());
  std::iota(samples.begin(), samples.end(), 0);
  return gather(source, samples);
}

} // namespace grapevine::data
