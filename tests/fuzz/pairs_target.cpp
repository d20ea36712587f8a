#include "data/bpe_file.h"
#include "data/parallel_text.h"
#include "data/sentence_pairs.h"
#include "fuzz/support.h"

#include <numeric>

namespace grapevine::fuzz {
namespace {

void check_batch(const data::Source& source) {
  std::vector<int64_t> all(source.size());
  std::iota(all.begin(), all.end(), 0);
  data::Batch batch;
  source.gather(all, batch);
  GV_CHECK_EQ(batch.samples(), source.size());
  for (const int64_t token : batch.tokens)
    GV_CHECK(token >= 0 && token < source.classes());
  for (const int64_t label : batch.labels)
    GV_CHECK(
        label == data::kNoLabel || (label >= 0 && label < source.classes()));
}

} // namespace

// The input is all four files, cut at its first three 0 bytes.
void read_pairs(Bytes input) {
  static const Folder folder;
  static const std::string vocabulary = folder.write(
      "v.bpe",
      bytes_of(data::format_bpe(data::Bpe({{' ', 'a'}, {'b', 'c'}}))));
  Choices choices(input);
  const int64_t longest = 1 + choices.next(256);
  std::string_view rest = text_of(input);
  for (const char* name : {"train.en", "train.de", "test.en", "test.de"}) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    folder.write(name, bytes_of(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto set = data::load_parallel_text(
      folder.path().string(),
      {.vocabulary = vocabulary, .longest = longest});
  check_batch(*set.train);
  check_batch(*set.test);
}

} // namespace grapevine::fuzz
