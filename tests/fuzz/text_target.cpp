#include "data/sets/sets.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {
namespace {

void check_sample(const data::Source& source, int64_t index) {
  data::Batch batch;
  source.gather(std::span(&index, 1), batch);
  for (const int64_t token : batch.tokens)
    GV_CHECK(token >= 0 && token < source.classes());
  for (const int64_t label : batch.labels)
    GV_CHECK(label >= 0 && label < source.classes());
}

} // namespace

void read_text(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t context = 1 + choices.next(256);
  folder.write("input.txt", input);
  const auto set =
      data::load_text(folder.path().string(), {.context = context});
  for (const auto& part : {set.train, set.test}) {
    GV_CHECK_GE(part->size(), 1);
    check_sample(*part, 0);
    check_sample(*part, part->size() - 1);
  }
}

} // namespace grapevine::fuzz
