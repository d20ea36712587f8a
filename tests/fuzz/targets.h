// What is fuzzed: every reader of files that others may have written. Given
// any bytes at all it gives a value or throws ConfigError or IoError; anything
// else (a crash, a failed check, an exception of a library, memory out of
// proportion to the input) is a bug.
//
// A new reader is one file NAME_target.cpp, one line in targets.cpp and a few
// inputs in corpus/NAME/. `./dev fuzz` runs libFuzzer on each; the corpora are
// replayed among the ordinary tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine::fuzz {

using Bytes = std::span<const uint8_t>;

struct Target {
  std::string name;
  void (*read)(Bytes input);
  int64_t longest_input; // bytes; longer ones find nothing that these do not
};

const std::vector<Target>& targets();
// Null where there is none.
const Target* find_target(std::string_view name);

// Reads, and swallows the errors that are right.
void run(const Target& target, Bytes input);

void read_checkpoint(Bytes input);
void read_cifar10(Bytes input);
void read_costs(Bytes input);
void read_edges(Bytes input);
void read_gzip(Bytes input);
void read_idx(Bytes input);
void read_images(Bytes input);
void read_jpeg(Bytes input);
void read_packed(Bytes input);
void read_pairs(Bytes input);
void read_records(Bytes input);
void read_run(Bytes input);
void read_safetensors(Bytes input);
void read_spec(Bytes input);
void read_tar(Bytes input);
void read_text(Bytes input);
void read_vocabulary(Bytes input);
void read_words(Bytes input);

} // namespace grapevine::fuzz
