// What a source of sentence pairs can say about text, besides giving samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace grapevine::data {

class SentencePairs {
 public:
  virtual ~SentencePairs() = default;
  // The target of a sample as it stands in the file. 0 <= index < size().
  virtual std::string_view reference(int64_t index) const = 0;
  // What tokens say, in the form of the references; pad, bos and eos are
  // passed over.
  virtual std::string text_of(std::span<const int64_t> tokens) const = 0;
};

} // namespace grapevine::data
