#include "data/sets/sets.h"
#include "fuzz/support.h"

#include <cmath>

namespace grapevine::fuzz {

void read_cifar10(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t records = choices.next(3);
  const std::vector<std::string> paths = {folder.write("input.bin", input)};
  const auto source = data::read_cifar10(paths, records);
  GV_CHECK_EQ(source->size(), records);
  data::Batch batch;
  for (int64_t i = 0; i < source->size(); ++i) {
    source->gather(std::span(&i, 1), batch);
    GV_CHECK(batch.labels[0] >= 0 && batch.labels[0] < source->classes());
    for (const float value : batch.inputs)
      GV_CHECK(std::isfinite(value));
  }
}

} // namespace grapevine::fuzz
