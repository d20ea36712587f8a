// The data sets, each in a file of its own that begins with its description,
// and one entry in table.cpp. X_files() says how a set is recognised, load_X()
// reads it from the folder that was found, as the options say that concern it.
// IoError: a file that is missing or not as expected (file, expected, found).
#pragma once

#include "data/image_source.h"
#include "data/locate.h"
#include "data/source.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace grapevine::data {

FileSet fashion_mnist_files(const DataOptions& options);
Dataset load_fashion_mnist(
    const std::string& folder,
    const DataOptions& options);

FileSet cifar10_files(const DataOptions& options);
Dataset load_cifar10(const std::string& folder, const DataOptions& options);

// One source of `records` records from each file, in order. Throws IoError
// (file, expected, found): another size, a label above 9.
std::shared_ptr<const Source> read_cifar10(
    std::span<const std::string> paths,
    int64_t records,
    const Augmentation& augmentation = {});

// Folders train/ and val/.
FileSet imagenet_files(const DataOptions& options);

// IoError: as open_image_folder(), for which the search path has the places;
// classes that differ. A file that cannot be decoded is an IoError with its
// name when it is gathered.
Dataset load_imagenet(const std::string& folder, const DataOptions& options);

// input.txt; in a folder that the user gave, any one .txt file.
FileSet text_files(const DataOptions& options);

// Reads the folder's input.txt, else its only .txt file. ConfigError: several
// texts, a vocabulary that is not there or is none, or a text too short for a
// window in both parts. IoError: a file that cannot be read.
Dataset load_text(const std::string& folder, const DataOptions& options);

FileSet wikitext2_files(const DataOptions& options);

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
Dataset load_wikitext2(const std::string& folder, const DataOptions& options);

FileSet parallel_text_files(const DataOptions& options);

// ConfigError: no vocabulary given, one that is not there or is none; no
// training pair left. IoError: a file that is missing, or two files of unequal
// numbers of lines, with both.
Dataset load_parallel_text(
    const std::string& folder,
    const DataOptions& options);

// Throws ConfigError for sizes outside of what synthetic_* can be.
Dataset make_synthetic(const DataOptions& options);

} // namespace grapevine::data
