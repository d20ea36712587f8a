#include "data/sets/sets.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

// The input is the training text, and the other two: whatever words they have,
// it has.
void read_words(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t context = 1 + choices.next(16);
  for (const char* part : {"train", "valid", "test"})
    folder.write(std::string("wiki.") + part + ".tokens", input);
  const auto set = data::load_words(folder.path().string(), context, {});
  for (const auto& part : {set.train, set.test}) {
    data::Batch batch;
    const int64_t last = part->size() - 1;
    part->gather(std::span(&last, 1), batch);
    for (const int64_t token : batch.tokens)
      GV_CHECK(token >= 0 && token < part->classes());
  }
}

} // namespace grapevine::fuzz
