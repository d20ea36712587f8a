#include "data/idx.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {
namespace {

std::string put(Choices& choices, Bytes input) {
  static const Folder folder;
  switch (choices.next(3)) {
    case 0:
      return folder.write("input", input);
    case 1:
      return folder.write("input.gz", input);
    default:
      return folder.write("input.gz", bytes_of(gzip(input)));
  }
}

} // namespace

void read_idx(Bytes input) {
  Choices choices(input);
  const bool images = choices.next(2) == 0;
  const auto path = put(choices, input);
  if (images) {
    const auto pixels = data::read_idx_images(path, {2, 3, 4});
    GV_CHECK_EQ(pixels.size(), 2U * 3 * 4);
    return;
  }
  const auto labels = data::read_idx_labels(path, 5, 10);
  GV_CHECK_EQ(labels.size(), 5U);
  for (const uint8_t label : labels)
    GV_CHECK_LT(label, 10);
}

} // namespace grapevine::fuzz
