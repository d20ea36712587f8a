#include "base/sha256.h"
#include "data/image_folder.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {
namespace {

// Two classes of one and two images, as far as their first bytes go.
struct Images {
  Images() {
    const std::string_view jpeg = "\xff\xd8\xff\xe0";
    for (const char* name : {"a/1.jpg", "b/2.jpeg", "b/3.JPG"})
      folder.write(std::string("images/") + name, bytes_of(jpeg));
  }

  Folder folder;
};

} // namespace

// The input is the index of a folder of images; or what an index has between
// its first line and the checksum of it all, which no mutation would get right.
void read_images(Bytes input) {
  static const Images images;
  Choices choices(input);
  std::string text(text_of(input));
  if (choices.next(2) == 1) {
    text = "grapevine image index 1\n" + text;
    text += "sha256 " + sha256_hex(text) + "\n";
  }
  const auto file = images.folder.write("images.index", bytes_of(text));
  const auto folder = (images.folder.path() / "images").string();
  const auto index = data::read_image_index(file, folder);
  if (!index) return;
  GV_CHECK_EQ(index->classes.size(), 2U);
  for (int64_t i = 0; i < index->size(); ++i)
    GV_CHECK(!index->path_of(i).empty());
}

} // namespace grapevine::fuzz
