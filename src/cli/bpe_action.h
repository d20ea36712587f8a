// `grapevine data bpe FILE… --size N --out FILE`: learns a byte-pair
// vocabulary from text files.
#pragma once

#include <string>
#include <vector>

namespace grapevine::cli {

struct BpeArguments {
  std::vector<std::string> files;
  int size = 8192; // bytes included
  std::string out;
};

// Returns the exit code. Throws ConfigError (no file, a file that is not
// there, a size out of range, no --out) and IoError.
int make_bpe(const BpeArguments& arguments, bool json);

} // namespace grapevine::cli
