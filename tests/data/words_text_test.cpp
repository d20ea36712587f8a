// Text in byte pairs, and WikiText-2 word by word.
#include "base/error.h"
#include "data/bpe.h"
#include "data/sets/sets.h"
#include "data/temporary_folder.h"
#include "data/test_data.h"

#include <numeric>

namespace grapevine::data {
namespace {

using Tokens = std::vector<int64_t>;

// The first 90 % of the bytes, and the rest, in byte pairs of their own.
TEST(TextInBytePairs, IsCutWhereBytesAre) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 95; ++i)
    text += "ab";
  folder.write("input.txt", text); // 171 and 19 bytes
  write_bpe(Bpe({{'a', 'b'}, {256, 256}}), folder / "v.bpe");
  const auto set = load_dataset(
      {.name = "text",
       .directory = folder.path(),
       .context = 2,
       .vocabulary = folder / "v.bpe"});
  EXPECT_EQ(set.train->classes(), 258);
  // abab 42 times, ab, a; then b, abab 4 times, ab.
  EXPECT_EQ(set.train->size(), 21);
  EXPECT_EQ(gather_all(*set.train).tokens, Tokens(42, 257));
  EXPECT_EQ(gather_all(*set.train).labels.back(), 256);
  EXPECT_EQ(gather_all(*set.test).tokens, (Tokens{'b', 257, 257, 257}));
  EXPECT_EQ(gather_all(*set.test).labels, (Tokens(4, 257)));
}

TEST(TextInBytePairs, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  folder.write("input.txt", std::string(100, 'x'));
  folder.write("no.bpe", "x\n");
  write_bpe(Bpe({{'x', 'x'}}), folder / "v.bpe");
  const auto refusal = [&](const std::string& vocabulary, int64_t context) {
    return message_of<ConfigError>([&] {
      load_dataset(
          {.name = "text",
           .directory = folder.path(),
           .context = context,
           .vocabulary = folder / vocabulary});
    });
  };
  EXPECT_SAYS(refusal("none.bpe", 1), "none.bpe' is not there");
  EXPECT_SAYS(refusal("no.bpe", 1), "no.bpe:1: expected 'grapevine-bpe 1'");
  EXPECT_SAYS(refusal("v.bpe", 5), "has 50 tokens");
  EXPECT_SAYS(refusal("v.bpe", 5), "at most 4, got 5");
}

class WikiText : public testing::Test {
 protected:
  WikiText() {
    folder_.write("wiki.train.tokens", " \n = a b = \n c  a \n");
    folder_.write("wiki.valid.tokens", "a\n");
    folder_.write("wiki.test.tokens", " a b c a\n b b"); // no end of line
  }
  Dataset load(int64_t context, const WordCountsExpected& expected = {}) {
    return load_words(folder_.path(), context, expected);
  }
  std::string refusal(const WordCountsExpected& expected = {}) {
    return message_of<IoError>([&] { load(1, expected); });
  }

  TemporaryFolder folder_;
};

// <eos> 0, = 1, a 2, b 3, c 4.
TEST_F(WikiText, WordsByHand) {
  const auto set = load(3);
  EXPECT_EQ(set.train->classes(), 5);
  EXPECT_EQ(set.train->reading(), Reading::kStreams);
  EXPECT_EQ(gather_all(*set.train).tokens, (Tokens{0, 1, 2, 3, 1, 0}));
  EXPECT_EQ(gather_all(*set.train).labels, (Tokens{1, 2, 3, 1, 0, 4}));
  EXPECT_EQ(gather_all(*set.test).tokens, (Tokens{2, 3, 4, 2, 0, 3}));
  EXPECT_EQ(gather_all(*set.test).labels, (Tokens{3, 4, 2, 0, 3, 3}));
}

TEST_F(WikiText, Refusals) {
  EXPECT_SAYS(refusal({.train = 10}), "expected 10 words, found 9");
  EXPECT_SAYS(refusal({.vocabulary = 6}), "6 different words, found 5");
  EXPECT_SAYS(refusal({.test = 9}), "wiki.test.tokens: expected 9");
  EXPECT_SAYS(
      message_of<ConfigError>([&] { load(8); }),
      "wiki.test.tokens has 8 words; expected at most 7, got 8");
  folder_.write("wiki.valid.tokens", "a\nb new\n");
  EXPECT_SAYS(refusal(), "wiki.valid.tokens:2: the word 'new'");
  std::filesystem::remove(folder_ / "wiki.valid.tokens");
  EXPECT_SAYS(refusal(), "wiki.valid.tokens: cannot open");
  EXPECT_SAYS(
      message_of<IoError>([&] {
        load_dataset({.name = "wikitext2", .directory = folder_.path()});
      }),
      "expected 2088628 words, found 9");
}

TEST(WikiText2, IsThePublishedText) {
  if (!locate_dataset(test_data("wikitext2"))) {
    GTEST_SKIP() << "WikiText-2 is not on this machine; set GRAPEVINE_DATA";
  }
  const auto set = load_dataset(test_data("wikitext2"));
  const auto& entry = data_entry("wikitext2");
  EXPECT_EQ(set.train->size(), entry.train_samples);
  EXPECT_EQ(set.test->size(), entry.test_samples);
  EXPECT_EQ(set.train->classes(), entry.classes);
}

} // namespace
} // namespace grapevine::data
