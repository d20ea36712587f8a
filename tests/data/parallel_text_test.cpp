#include "data/sets/sets.h"

#include "base/error.h"
#include "base/sentence_tokens.h"
#include "data/bpe.h"
#include "data/file.h"
#include "data/sharder.h"
#include "data/source.h"
#include "data/temporary_folder.h"
#include "data/test_data.h"

#include <numeric>

namespace grapevine::data {
namespace {

using Tokens = std::vector<int64_t>;

class ParallelTextTest : public testing::Test {
 protected:
  ParallelTextTest() {
    // ' ' is 35, a 100, b 101; " a" is 259.
    write_bpe(Bpe({{' ', 'a'}}), folder_ / "v.bpe");
    folder_.write("train.en", "a b\n\n a  \r\nb b b b b b\nb");
    folder_.write("train.de", "b\na\na a\nb\n\n");
    folder_.write("test.en", "a\n\nbbbbbbb\n");
    folder_.write("test.de", "a b\nb\n  b  b \n");
  }

  Dataset load(int64_t longest = 5) {
    return load_dataset(
        {.name = "parallel-text",
         .directory = folder_.path(),
         .vocabulary = folder_ / "v.bpe",
         .longest = longest});
  }

  TemporaryFolder folder_;
};

constexpr int64_t kSpace = 35;
constexpr int64_t kB = 101;
constexpr int64_t kSpaceA = 259;

// Pairs 0 and 2 of the files are left.
TEST_F(ParallelTextTest, RowsByHand) {
  const auto set = load();
  ASSERT_EQ(set.train->size(), 2);
  EXPECT_EQ(set.train->classes(), 260);
  EXPECT_EQ(set.train->lengths(), (Tokens{4, 3}));
  const auto both = gather(*set.train, {1, 0});
  EXPECT_EQ(both.sample_shape, Tokens{4 + 3});
  EXPECT_EQ(both.labels_per_sample, 3);
  // clang-format off
  EXPECT_EQ(
      both.tokens,
      (Tokens{kSpaceA, kEos, kPad, kPad, kBos, kSpaceA, kSpaceA,
              kSpaceA, kSpace, kB, kEos, kBos, kSpace, kB}));
  // clang-format on
  EXPECT_EQ(both.labels, (Tokens{kSpaceA, kSpaceA, kEos, kSpace, kB, kEos}));
  const auto one = gather(*set.train, {1});
  EXPECT_EQ(one.sample_shape, Tokens{2 + 3});
}

TEST_F(ParallelTextTest, PaddingHasNoLabel) {
  const auto set = load();
  const auto batch = gather(*set.test, {0, 1});
  EXPECT_EQ(batch.labels_per_sample, 4);
  EXPECT_EQ(
      batch.labels,
      (Tokens{kSpaceA, kSpace, kB, kEos, kSpace, kB, kEos, kNoLabel}));
  EXPECT_EQ(batch.tokens[6], kEos); // an empty source
}

TEST_F(ParallelTextTest, CountsWhatDoesNotFit) {
  const auto set = load();
  EXPECT_EQ(set.test->size(), 3);
  EXPECT_EQ(
      set.notes,
      (std::vector<std::string>{
          "2 training pairs with an empty side are left out",
          "1 training pairs with more than 5 tokens on a side are left out",
          "1 test sentences are cut to 5 tokens"}));
  EXPECT_EQ(gather(*set.test, {2}).sample_shape, Tokens{6 + 6});
}

TEST_F(ParallelTextTest, TextComesBack) {
  const auto set = load(100);
  const auto* pairs = set.test->pairs();
  ASSERT_NE(pairs, nullptr);
  EXPECT_EQ(pairs->reference(0), "a b");
  EXPECT_EQ(pairs->reference(2), "b  b");
  EXPECT_EQ(
      pairs->text_of(Tokens{kBos, kSpaceA, kSpace, kB, kEos, kPad}),
      "a b");
  EXPECT_EQ(pairs->text_of({}), "");
}

TEST_F(ParallelTextTest, ASubsetHasItsOwnReferences) {
  const auto set = load_dataset(
      {.name = "parallel-text",
       .directory = folder_.path(),
       .test_samples = 2,
       .vocabulary = folder_ / "v.bpe"});
  ASSERT_NE(set.test->pairs(), nullptr);
  for (const int64_t i : {0, 1}) {
    Tokens target;
    for (const int64_t label : gather(*set.test, {i}).labels) {
      if (label != kNoLabel) target.push_back(label);
    }
    EXPECT_EQ(
        set.test->pairs()->text_of(target),
        set.test->pairs()->reference(i));
  }
}

TEST_F(ParallelTextTest, Refusals) {
  EXPECT_SAYS(
      message_of<ConfigError>([&] {
        load_dataset({.name = "parallel-text", .directory = folder_.path()});
      }),
      "`grapevine data bpe` makes it");
  EXPECT_SAYS(
      message_of<ConfigError>([&] { load(1); }),
      "no pair with both sides there and of at most 1 tokens");
  folder_.write("test.de", "a\n");
  const auto message = message_of<IoError>([&] { load(); });
  EXPECT_SAYS(message, "found 3 in");
  EXPECT_SAYS(message, "test.en and 1 in");
  std::filesystem::remove(folder_ / "train.en");
  std::filesystem::remove(folder_ / "train.de");
  EXPECT_SAYS(message_of<IoError>([&] { load(); }), "expected train.en, found");
}

TEST_F(ParallelTextTest, OtherLanguages) {
  folder_.write("train.fr", "a\n");
  folder_.write("train.xx", "b\n");
  folder_.write("test.fr", "a\n");
  folder_.write("test.xx", "b\n");
  const auto set = load_dataset(
      {.name = "parallel-text",
       .directory = folder_.path(),
       .vocabulary = folder_ / "v.bpe",
       .source_language = "fr",
       .target_language = "xx"});
  EXPECT_EQ(gather(*set.train, {0}).tokens[0], kSpaceA);
  EXPECT_EQ(set.test->pairs()->reference(0), "b");
}

TEST_F(ParallelTextTest, Multi30kIsThePublishedOne) {
  auto options = test_data("parallel-text");
  const auto found = locate_dataset(options);
  if (!found) {
    GTEST_SKIP() << "Multi30k is not on this machine; set GRAPEVINE_DATA";
  }
  WordCounts words;
  for (const std::string language : {"en", "de"}) {
    const auto bytes = read_file(*found + "/train.lc.norm.tok." + language);
    words.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  write_bpe(train_bpe(words, 1000), folder_ / "multi30k.bpe");
  options.vocabulary = folder_ / "multi30k.bpe";
  const auto set = load_dataset(options);
  EXPECT_EQ(set.train->size(), data_entry("parallel-text").train_samples);
  EXPECT_EQ(set.test->size(), data_entry("parallel-text").test_samples);
  EXPECT_TRUE(set.notes.empty());
  const auto sharder = make_sharder(*set.train, {.workers = 2, .batch = 2000});
  const auto batch = gather(*set.train, sharder->indices(0, 0, 0));
  EXPECT_LE(batch.samples() * batch.labels_per_sample, 2000);
}

} // namespace
} // namespace grapevine::data
