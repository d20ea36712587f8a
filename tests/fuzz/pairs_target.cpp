#include "data/sets/sets.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {
namespace {

struct Corpus {
  Corpus()
      : vocabulary(folder.write(
            "words.bpe",
            bytes_of("grapevine-bpe 1\nmerges 2\n108 111\n256 119\n"))) {}

  Folder folder;
  std::string vocabulary;
};

} // namespace

// The input is both sides of the corpus: the source up to a byte of 255, the
// target behind it.
void read_pairs(Bytes input) {
  static const Corpus corpus;
  const auto text = text_of(input);
  const size_t cut = std::min(text.find('\xff'), text.size());
  const auto source = input.first(cut);
  const auto target = input.subspan(std::min(cut + 1, text.size()));
  for (const std::string part : {"train.", "test."}) {
    corpus.folder.write(part + "en", source);
    corpus.folder.write(part + "de", target);
  }
  const auto set = data::load_parallel_text(
      corpus.folder.path().string(),
      {.vocabulary = corpus.vocabulary, .longest = 20});
  for (const auto& part : {set.train, set.test}) {
    data::Batch batch;
    for (int64_t i = 0; i < part->size(); ++i) {
      part->gather(std::span(&i, 1), batch);
      for (const int64_t token : batch.tokens)
        GV_CHECK(token >= 0 && token < part->classes());
    }
  }
}

} // namespace grapevine::fuzz
