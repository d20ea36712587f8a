#include "data/bpe_file.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

// What is a vocabulary is written as it was read, and loses no byte of a text:
// here, of itself.
void read_vocabulary(Bytes input) {
  const std::string text(text_of(input));
  const data::Bpe bpe = data::parse_bpe(text, "input");
  GV_CHECK(
      data::parse_bpe(data::format_bpe(bpe), "again").merges() == bpe.merges());
  data::BpeEncoder encoder(bpe);
  GV_CHECK(bpe.decode(encoder.encode(text)) == text);
}

} // namespace grapevine::fuzz
