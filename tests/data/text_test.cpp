#include "base/error.h"
#include "data/loader.h"
#include "data/sharder.h"
#include "data/source.h"
#include "data/temporary_folder.h"
#include "data/test_data.h"

#include <numeric>
#include <set>

namespace grapevine::data {
namespace {

Dataset load(const std::string& folder, int64_t context) {
  return load_dataset(
      {.name = "text", .directory = folder, .context = context});
}

using Tokens = std::vector<int64_t>;

TEST(Text, WindowsByHand) {
  const TemporaryFolder folder;
  // 30 bytes: 27 to train on, 3 to test on. \n a b c ~ are tokens 0 to 4.
  folder.write("input.txt", "abcabcabcabcabcabcabcabc~~~\nab");
  const auto set = load(folder.path(), 2);
  EXPECT_EQ(set.name, "text");
  EXPECT_EQ(set.train->classes(), 5);
  EXPECT_EQ(set.test->classes(), 5);
  EXPECT_TRUE(set.train->has_tokens());
  EXPECT_EQ(set.train->sample_shape(), Tokens{2});
  EXPECT_EQ(set.train->labels_per_sample(), 2);
  EXPECT_EQ(set.train->size(), 13); // of 26 predicted bytes
  EXPECT_EQ(set.test->size(), 1);
  const auto train = gather(*set.train, {12, 0, 1});
  EXPECT_EQ(train.samples(), 3);
  EXPECT_TRUE(train.inputs.empty());
  EXPECT_EQ(train.tokens, (Tokens{4, 4, 1, 2, 3, 1}));
  EXPECT_EQ(train.labels, (Tokens{4, 4, 2, 3, 1, 2}));
  const auto test = gather_all(*set.test);
  EXPECT_EQ(test.tokens, (Tokens{0, 1}));
  EXPECT_EQ(test.labels, (Tokens{1, 2}));
}

// Every byte but the first is a label once, in order; a label is the next
// input, across windows too.
TEST(Text, WindowsCoverAPartOnce) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes += static_cast<char>(i * i % 251);
  folder.write("input.txt", bytes);
  for (const int64_t context : {1, 3, 10, 99}) {
    const auto set = load(folder.path(), context);
    EXPECT_EQ(set.train->size(), 899 / context);
    EXPECT_EQ(set.test->size(), 99 / context);
    for (const auto& part : {set.train, set.test}) {
      const auto all = gather_all(*part);
      ASSERT_EQ(all.labels.size(), all.tokens.size());
      EXPECT_TRUE(std::equal(
          all.tokens.begin() + 1,
          all.tokens.end(),
          all.labels.begin()));
    }
  }
}

TEST(Text, BytesOfAnyValueAreTokens) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 2560; ++i)
    bytes += static_cast<char>(i);
  folder.write("input.txt", bytes);
  const auto set = load(folder.path(), 255);
  EXPECT_EQ(set.train->classes(), 256);
  const auto first = gather(*set.train, {0}).tokens;
  Tokens expected(255);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(first, expected);
}

TEST(Text, ASubsetIsTextToo) {
  const TemporaryFolder folder;
  folder.write("input.txt", std::string(500, 'x') + std::string(500, 'y'));
  const auto set = load_dataset(
      {.name = "text",
       .directory = folder.path(),
       .train_samples = 7,
       .context = 10});
  EXPECT_EQ(set.train->size(), 7);
  EXPECT_TRUE(set.train->has_tokens());
  EXPECT_EQ(set.train->labels_per_sample(), 10);
  EXPECT_EQ(gather_all(*set.train).samples(), 7);
}

TEST(Text, GoesThroughTheLoader) {
  const TemporaryFolder folder;
  folder.write("input.txt", std::string(500, 'x') + std::string(500, 'y'));
  const auto set = load(folder.path(), 10);
  const auto sharder = std::make_shared<ShuffledSharder>(
      set.train->size(),
      ShardOptions{.workers = 3, .batch = 4, .seed = 1});
  Loader loader(
      set.train,
      sharder,
      {.workers = {0, 1, 2},
       .steps_per_epoch = sharder->steps_per_epoch(),
       .last_step = 2 * sharder->steps_per_epoch()});
  Batch batch;
  for (int64_t step = 0; step < 2 * sharder->steps_per_epoch(); ++step) {
    for (const int worker : {2, 0, 1}) {
      loader.take(step, worker, batch);
      const auto expected = gather(
          *set.train,
          sharder->indices(
              step / sharder->steps_per_epoch(),
              step % sharder->steps_per_epoch(),
              worker));
      EXPECT_EQ(batch.samples(), 4);
      EXPECT_EQ(batch.tokens, expected.tokens);
      EXPECT_EQ(batch.labels, expected.labels);
    }
  }
}

TEST(Text, InputTxtGoesBeforeOthersAndOneOtherWillDo) {
  const TemporaryFolder folder;
  folder.write("novel.txt", std::string(100, 'n'));
  folder.write("notes.md", "not a text");
  EXPECT_EQ(load(folder.path(), 4).train->classes(), 1);
  folder.write("poem.txt", "ab");
  const auto message = message_of<ConfigError>([&] { load(folder.path(), 4); });
  EXPECT_SAYS(message, "novel.txt, poem.txt");
  EXPECT_SAYS(message, "input.txt");
  folder.write("input.txt", std::string(50, 'a') + std::string(50, 'b'));
  EXPECT_EQ(load(folder.path(), 4).train->classes(), 2);
}

// A .txt file that happens to lie in a place that is searched is not the data.
TEST(Text, TheSearchWantsInputTxt) {
  const TemporaryFolder folder;
  folder.write("README.txt", "about this folder");
  const DataOptions options{.name = "text", .search_path = {folder.path()}};
  EXPECT_FALSE(locate_dataset(options));
  const auto message = message_of<IoError>([&] { load_dataset(options); });
  EXPECT_SAYS(message, "input.txt");
  EXPECT_SAYS(message, "--data-dir");
  folder.write("tinyshakespeare/input.txt", "to be");
  EXPECT_EQ(locate_dataset(options), folder / "tinyshakespeare");
  folder.write("text/input.txt", "or not");
  EXPECT_EQ(locate_dataset(options), folder / "text");
}

TEST(Text, TooShortForAWindow) {
  const TemporaryFolder folder;
  folder.write("input.txt", std::string(100, 'x'));
  EXPECT_EQ(load(folder.path(), 9).test->size(), 1);
  const auto message =
      message_of<ConfigError>([&] { load(folder.path(), 10); });
  EXPECT_SAYS(message, "input.txt has 100 bytes");
  EXPECT_SAYS(message, "at most 9, got 10");
  folder.write("input.txt", "");
  EXPECT_SAYS(
      message_of<ConfigError>([&] { load(folder.path(), 1); }),
      "has 0 bytes");
  folder.write("input.txt", "0123456789");
  EXPECT_SAYS(
      message_of<ConfigError>([&] { load(folder.path(), 1); }),
      "at most 0, got 1");
}

TEST(Text, TinyShakespeareIsThePublishedText) {
  if (!locate_dataset(test_data("text"))) {
    GTEST_SKIP() << "tiny-shakespeare is not on this machine: "
                 << data_entry("text").how_to_get << ", or set GRAPEVINE_DATA";
  }
  const auto set = load_dataset(test_data("text"));
  const auto& entry = data_entry("text");
  EXPECT_EQ(set.train->size(), entry.train_samples);
  EXPECT_EQ(set.test->size(), entry.test_samples);
  EXPECT_EQ(set.train->classes(), entry.classes);
  EXPECT_EQ(set.train->sample_shape(), entry.sample_shape);
  // "First" with 13 signs, 26 capitals and f - a small letters before it.
  const auto first = gather(*set.train, {0}).tokens;
  EXPECT_EQ(
      Tokens(first.begin(), first.begin() + 5),
      (Tokens{18, 47, 56, 57, 58}));
  const auto labels = gather_all(*set.test).labels;
  EXPECT_EQ(std::set<int64_t>(labels.begin(), labels.end()).size(), 61U);
}

} // namespace
} // namespace grapevine::data
