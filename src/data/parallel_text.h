// A line-parallel corpus for translation: line i of one file says in the
// target language what line i of the other says in the source language.
//
//   tokens   pad, bos, eos, then the byte pairs of one vocabulary for both
//            languages (data/bpe.h); a line is encoded with a space before it,
//            so that its first word is a word like any other
//   sample   a row as base/sentence_tokens.h lays it out, padded to the
//            longest source and to the longest target of its batch
//   length   of the longer side, with eos
//
// Blanks at both ends of a line are dropped. Of the training pairs, those with
// an empty side and those with a side of more than `longest` tokens are left
// out. Of the test pairs none is: sides that are too long are cut. Both are
// counted in the data set's notes.
//
// The files are train.lc.norm.tok.LANGUAGE and
// test_2016_flickr.lc.norm.tok.LANGUAGE (Multi30k's names), or
// train.LANGUAGE and test.LANGUAGE.
#pragma once

#include "data/locate.h"
#include "data/source.h"

#include <cstdint>
#include <string>

namespace grapevine::data {

struct ParallelOptions {
  std::string source_language = "en";
  std::string target_language = "de";
  std::string vocabulary; // a file of `grapevine data bpe`
  int64_t longest = 100;  // tokens of a side, without eos
};

FileSet parallel_text_files(const ParallelOptions& options);

// ConfigError: no vocabulary given, one that is not there or is none; no
// training pair left. IoError: a file that is missing, or two files of unequal
// numbers of lines, with both.
Dataset load_parallel_text(
    const std::string& folder,
    const ParallelOptions& options);

} // namespace grapevine::data
