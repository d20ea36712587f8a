// Text for language models, byte by byte, from one file:
//
//   token    place of the byte among those that occur, by value
//   train    the first 90 % of the bytes (rounded down), test the rest
//   sample i of a part x with context c:
//            inputs  x[i c] … x[i c + c - 1]
//            labels  x[i c + 1] … x[i c + c]
//
// so that every byte but a part's first is predicted once, and a window sees
// nothing before itself. What does not fill a window is left out. The file is
// kept as a byte a token, shared by both parts.
#pragma once

#include "data/locate.h"
#include "data/source.h"

#include <string>

namespace grapevine::data {

// input.txt; in a folder that the user gave, any one .txt file.
const FileSet& text_files();

// Of the folder's input.txt, else of its only .txt file. ConfigError: several
// of them, or a text too short for a window in both parts. IoError: a file
// that cannot be read.
Dataset load_text(const std::string& folder, int64_t context);

} // namespace grapevine::data
