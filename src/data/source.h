// Data sets: where samples come from, and the batches in which they go to a
// model. No torch here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine::data {

// The label of a position that has none: padding after a shorter sample. Counts
// neither in a loss nor in a score.
inline constexpr int64_t kNoLabel = -100;

// Samples on their way from a source to a model, in buffers that keep their
// memory from one use to the next.
struct Batch {
  // Of this batch: samples of differing lengths are padded to its longest.
  std::vector<int64_t> sample_shape;
  // One of the two is filled, samples x elements of the shape: numbers
  // (images), or tokens, each below the source's classes (text).
  std::vector<float> inputs;
  std::vector<int64_t> tokens;
  std::vector<int64_t> labels; // samples x labels_per_sample
  int64_t labels_per_sample = 1;

  int64_t samples() const {
    return static_cast<int64_t>(labels.size()) / labels_per_sample;
  }
};

// What a source of sentence pairs knows about its text, besides the samples.
class SentencePairs {
 public:
  virtual ~SentencePairs() = default;
  // Returns the target of a sample as it is in the file. 0 <= index < size().
  virtual std::string_view reference(int64_t index) const = 0;
  // Returns the text of tokens, in the form of the references; pad, bos and eos
  // are left out.
  virtual std::string text_of(std::span<const int64_t> tokens) const = 0;
};

// Addresses the random numbers of a training sample (crops, flips), together
// with the sample's index.
struct Draw {
  uint64_t seed = 0;
  int64_t epoch = 0;
};

// In which order a set can be gone through (data/sharder.h).
enum class Reading {
  kShuffled, // each sample by itself
  kStreams,  // samples follow each other in a text: in order, too
  kByLength, // samples of about the same length together
};

struct BatchShape {
  std::vector<int64_t> sample;
  int64_t labels_per_sample = 1;
};

// A labelled set of samples. Immutable once made, so any number of threads may
// read it.
class Source {
 public:
  virtual ~Source() = default;

  virtual int64_t size() const = 0;
  // Of one sample, e.g. {1, 28, 28} (channels, rows, columns), or {64}
  // (tokens; of samples that differ in length, of the longest).
  virtual std::vector<int64_t> sample_shape() const = 0;
  int64_t sample_elements() const;
  // Labels are below it, and so are tokens.
  virtual int classes() const = 0;
  // Whether a sample is tokens rather than numbers.
  virtual bool has_tokens() const { return false; }
  // Where tokens are sentence pairs (base/sentence_tokens.h), what else there
  // is to know of them; lives as long as the source. Else null.
  virtual const SentencePairs* pairs() const { return nullptr; }
  // More than one where every position of a sample has a label.
  virtual int64_t labels_per_sample() const { return 1; }

  virtual Reading reading() const { return Reading::kShuffled; }
  // kByLength: tokens of each sample, padding not counted; at least 1.
  virtual std::vector<int64_t> lengths() const;
  // Of a batch of these samples.
  virtual BatchShape shape_of(std::span<const int64_t> indices) const;

  // Replaces what the batch holds: sample indices[b] is at place b * elements
  // of inputs (normalised) or tokens, its labels at b * labels_per_sample.
  // 0 <= index < size(). draw: for training; null for evaluation, where
  // nothing is left to chance.
  void gather(
      std::span<const int64_t> indices,
      Batch& batch,
      const Draw* draw = nullptr) const;

  // Of all samples in order, labels_per_sample() each. Unless a source knows
  // better, it gathers them all for it.
  virtual std::vector<int64_t> labels() const;

  // The number of the file, or the group of files, that each sample comes
  // from, from 0 on. What belongs together on a disk can so stay
  // together on a worker (SplitKind::kFile). Empty: no files to tell apart.
  virtual std::vector<int64_t> files() const { return {}; }

 private:
  // The same, into buffers that have the right sizes.
  virtual void fill(
      std::span<const int64_t> indices,
      Batch& batch,
      const Draw* draw) const = 0;
};

// A training set and its test set.
struct Dataset {
  std::string name;
  std::shared_ptr<const Source> train;
  std::shared_ptr<const Source> test;
  // What was left out or changed on reading, a sentence each.
  std::vector<std::string> notes = {};
};

struct DataOptions {
  std::string name = "fashion-mnist";
  // Where the files lie: here, in <name>/ below, or in the folder that the
  // published archive unpacks to. Empty = look along search_path.
  std::string directory = {};
  // Each place is tried as PLACE/<name> and as PLACE itself, in order; the
  // first that holds a file of the set is the one. The default is where
  // Debian's packages put data sets; the program passes
  // default_data_path() (data/locate.h). Lists of large sets' files are
  // kept here too where they cannot be written beside the files.
  std::vector<std::string> search_path = {"/usr/share/datasets"};

  // Train on this many, and evaluate on this many, chosen at random but for
  // every run the same ones; 0 = on all.
  int64_t train_samples = 0;
  int64_t test_samples = 0;

  // The synthetic set alone: its training samples (a quarter as many test
  // samples), their shape, and the seed of all of it.
  uint64_t seed = 0;
  int64_t synthetic_samples = 4096;
  std::vector<int64_t> synthetic_shape = {1, 28, 28};
  int synthetic_classes = 10;

  // Text alone: the tokens of a sample, at least 1.
  int64_t context = 64;

  // Sets of small images alone (DataEntry::augments): how training samples are
  // changed by chance, a word of data/image_source.h, and the side in pixels of
  // what cutout takes out.
  std::string augment = "none";
  int64_t cutout = 16;

  // ImageNet alone: the side of its samples, in pixels, at least 1.
  int64_t image_size = 224;

  // Text and parallel text: a file of byte pairs (data/bpe.h); empty: bytes.
  std::string vocabulary = {};
  // Parallel text alone: data/sets/parallel_text.cpp.
  std::string source_language = "en";
  std::string target_language = "de";
  int64_t longest = 100; // tokens of a side, without eos
};

struct DataEntry {
  std::string name;
  std::string summary; // one line for --help and the docs
  std::vector<int64_t> sample_shape;
  int classes;
  int64_t train_samples;
  int64_t test_samples;
  // Commands that bring the files; empty where there are none to bring.
  std::string how_to_get;
  bool augments = false; // takes DataOptions::augment
};
const std::vector<DataEntry>& data_table();

// Throws ConfigError: an unknown name, with the nearest.
const DataEntry& data_entry(const std::string& name);

// Throws ConfigError (unknown name, a directory given that does not exist,
// impossible synthetic sizes or context, augmentation of what it is not for,
// more samples asked for than there are) or IoError (missing, truncated or
// corrupt files: the file, what was expected, what was found, and how to get
// it).
Dataset load_dataset(const DataOptions& options);

// The folder that load_dataset would read, without reading it; nothing where
// no file of the set is found or the set has no files.
std::optional<std::string> locate_dataset(const DataOptions& options);

// A fixed part of a source: small experiments on real data.

// `samples` of them, chosen at random but the same ones for every run and
// seed, so that runs differ in what they are meant to; of a text that is read
// in streams, the first. `option` is whose value it is, for messages.
// ConfigError for more than there are.
std::shared_ptr<const Source> make_subset(
    std::shared_ptr<const Source> whole,
    int64_t samples,
    const std::string& option);

} // namespace grapevine::data
