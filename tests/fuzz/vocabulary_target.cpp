#include "data/bpe.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

// What was read is written and read again, and any text comes back from its
// tokens.
void read_vocabulary(Bytes input) {
  const auto bpe = data::parse_bpe(text_of(input), "input.bpe");
  const auto again = data::parse_bpe(data::format_bpe(bpe), "again.bpe");
  GV_CHECK(again.merges() == bpe.merges());
  data::BpeEncoder encoder(bpe);
  for (const std::string_view text :
       {text_of(input), std::string_view("low lower lowest\n\xff\xfe the ")}) {
    const auto tokens = encoder.encode(text);
    GV_CHECK(bpe.decode(tokens) == text);
  }
}

} // namespace grapevine::fuzz
