#include "data/wikitext2.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

// The input is all three files, cut at its first two 0 bytes.
void read_words(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t context = 1 + choices.next(256);
  std::string_view rest = text_of(input);
  for (const auto& name : data::wikitext2_files().files) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    folder.write(name, bytes_of(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto set = data::load_words(folder.path().string(), context, {});
  for (const auto& part : {set.train, set.test}) {
    const int64_t last = part->size() - 1;
    data::Batch batch;
    part->gather(std::span(&last, 1), batch);
    for (const int64_t label : batch.labels)
      GV_CHECK(label >= 0 && label < part->classes());
  }
}

} // namespace grapevine::fuzz
