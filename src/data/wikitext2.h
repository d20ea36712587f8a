// WikiText-2 (Merity et al. 2017), as it is published tokenised:
//
//   words        what stands between spaces, and <eos> at the end of each line
//   vocabulary   the words of the training file in order of appearance
//   sample       a window of `context` words: data/windows.h
//
// The training file is wiki.train.tokens, the test file wiki.test.tokens;
// wiki.valid.tokens is checked, and not used.
#pragma once

#include "data/locate.h"
#include "data/source.h"

#include <cstdint>
#include <string>

namespace grapevine::data {

const FileSet& wikitext2_files();

// What files in this form should hold; 0 is not checked.
struct WordCountsExpected {
  int vocabulary = 0;
  int64_t train = 0; // words, <eos> included
  int64_t valid = 0;
  int64_t test = 0;
};

// ConfigError: a context that leaves no window. IoError: a file that is
// missing or holds another number of words; a word in the valid or test file
// that the training file does not have, with file and line.
Dataset load_words(
    const std::string& folder,
    int64_t context,
    const WordCountsExpected& expected);

// The same, with the published counts.
Dataset load_wikitext2(const std::string& folder, int64_t context);

} // namespace grapevine::data
