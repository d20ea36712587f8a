// Text for language models, from one file:
//
//   token    without a vocabulary: place of the byte among those that occur,
//            by value; with one, its byte pairs (data/bpe.h)
//   train    the first 90 % of the bytes (rounded down), test the rest; byte
//            pairs do not cross the cut
//   sample   a window of `context` tokens: data/windows.h
//
// Without a vocabulary the file is kept as a byte a token, shared by both
// parts.
#pragma once

#include "data/locate.h"
#include "data/source.h"

#include <string>

namespace grapevine::data {

// input.txt; in a folder that the user gave, any one .txt file.
const FileSet& text_files();

// Of the folder's input.txt, else of its only .txt file. vocabulary: a file of
// `grapevine data bpe`, or empty. ConfigError: several texts, a vocabulary that
// is not there or is none, or a text too short for a window in both parts.
// IoError: a file that cannot be read.
Dataset load_text(
    const std::string& folder,
    int64_t context,
    const std::string& vocabulary = {});

} // namespace grapevine::data
