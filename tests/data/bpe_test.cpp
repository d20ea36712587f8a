#include "data/bpe.h"

#include "base/error.h"
#include "base/random.h"
#include "data/file.h"
#include "data/temporary_folder.h"
#include "data/test_data.h"

#include <algorithm>
#include <map>

namespace grapevine::data {
namespace {

using Words = std::vector<std::string>;
using Tokens = std::vector<int32_t>;

Words words_of(std::string_view text) {
  Words words;
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(Words, CarryTheSpaceBeforeThem) {
  EXPECT_EQ(words_of("a bc"), (Words{"a", " bc"}));
  EXPECT_EQ(words_of("a  bc"), (Words{"a", " ", " bc"}));
  EXPECT_EQ(words_of("a\n\nb"), (Words{"a", "\n\n", "b"}));
  EXPECT_EQ(words_of("a\n  b "), (Words{"a", "\n ", " b", " "}));
  EXPECT_EQ(words_of("don't 12ab"), (Words{"don", "'", "t", " 12", "ab"}));
  EXPECT_EQ(words_of(" gr\xc3\xbcn."), (Words{" gr\xc3\xbcn", "."}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("  "), Words{"  "});
}

std::string random_text(Random& random, int length, std::string_view signs) {
  std::string text;
  for (int i = 0; i < length; ++i)
    text += signs[random.below(signs.size())];
  return text;
}

TEST(Words, PutTogetherAreTheText) {
  Random random(1, Purpose::kTest);
  for (int round = 0; round < 200; ++round) {
    std::string text = random_text(random, 50, " \nab1.\xff");
    text += std::string(random.below(3 * kLongestWord), round % 2 ? ' ' : 'x');
    std::string together;
    for (const auto& word : words_of(text)) {
      EXPECT_GE(word.size(), 1U);
      EXPECT_LE(word.size(), kLongestWord);
      together += word;
    }
    EXPECT_EQ(together, text);
  }
}

// Counts every pair anew for every merge.
std::vector<Merge> plain_merges(const std::string& text, int size) {
  std::vector<Tokens> words;
  for (const auto& word : words_of(text))
    words.emplace_back(
        reinterpret_cast<const unsigned char*>(word.data()),
        reinterpret_cast<const unsigned char*>(word.data() + word.size()));
  std::vector<Merge> merges;
  for (int token = Bpe::kBytes; token < size; ++token) {
    std::map<std::pair<int32_t, int32_t>, int> counts;
    for (const auto& word : words) {
      for (size_t i = 0; i + 1 < word.size(); ++i)
        ++counts[{word[i], word[i + 1]}];
    }
    std::pair<int32_t, int32_t> best;
    int most = 1;
    for (const auto& [pair, count] : counts) {
      if (count <= most) continue;
      most = count;
      best = pair;
    }
    if (most == 1) break;
    merges.push_back({best.first, best.second});
    for (auto& word : words) {
      for (size_t i = 0; i + 1 < word.size(); ++i) {
        if (word[i] != best.first || word[i + 1] != best.second) continue;
        word[i] = token;
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
  }
  return merges;
}

// Merge after merge over the whole word, each from left to right.
Tokens plain_encoding(const std::string& text, const Bpe& bpe) {
  Tokens tokens;
  for (const auto& word : words_of(text)) {
    Tokens at;
    for (const char byte : word)
      at.push_back(static_cast<unsigned char>(byte));
    for (size_t m = 0; m < bpe.merges().size(); ++m) {
      for (size_t i = 0; i + 1 < at.size(); ++i) {
        if (Merge{at[i], at[i + 1]} != bpe.merges()[m]) continue;
        at[i] = static_cast<int32_t>(Bpe::kBytes + m);
        at.erase(at.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    tokens.insert(tokens.end(), at.begin(), at.end());
  }
  return tokens;
}

Bpe train(std::string_view text, int size) {
  WordCounts words;
  words.add(text);
  return train_bpe(words, size);
}

TEST(Bpe, LearnsTheMostFrequentPairFirst) {
  const auto bpe = train("low low low lower lowest", 259);
  // "low": 5 times; " low" 4 times.
  ASSERT_EQ(bpe.size(), 259);
  EXPECT_EQ(bpe.piece(256), "lo");
  EXPECT_EQ(bpe.piece(257), "low");
  EXPECT_EQ(bpe.piece(258), " low");
  BpeEncoder encoder(bpe);
  EXPECT_EQ(encoder.encode("low lows"), (Tokens{257, 258, 's'}));
}

TEST(Bpe, TrainingIsThatOfPlainCounting) {
  Random random(3, Purpose::kTest);
  for (int round = 0; round < 30; ++round) {
    const auto text =
        random_text(random, 400, round % 2 ? "ab " : "abcde  \n.");
    const auto bpe = train(text, 256 + 40);
    EXPECT_EQ(bpe.merges(), plain_merges(text, 256 + 40)) << text;
    BpeEncoder encoder(bpe);
    EXPECT_EQ(encoder.encode(text), plain_encoding(text, bpe)) << text;
  }
}

TEST(Bpe, DecodesAnyBytes) {
  Random random(4, Purpose::kTest);
  const auto bpe = train(random_text(random, 3000, "abc \n"), 400);
  BpeEncoder encoder(bpe);
  for (int round = 0; round < 100; ++round) {
    std::string text = random_text(random, 60, "abc \n");
    for (int i = 0; i < 40; ++i)
      text += static_cast<char>(random.below(256));
    EXPECT_EQ(bpe.decode(encoder.encode(text)), text);
  }
  EXPECT_TRUE(encoder.encode("").empty());
}

TEST(Bpe, FilesComeBack) {
  const TemporaryFolder folder;
  const auto bpe = train("to be or not to be, that is the question", 270);
  write_bpe(bpe, folder / "deep/v.bpe");
  EXPECT_EQ(read_bpe(folder / "deep/v.bpe").merges(), bpe.merges());
}

TEST(Bpe, TheFormatIsThatOfItsPage) {
  const auto page = read_text(GV_FORMATS_PAGE);
  const std::string mark = "<!-- example: vocabulary -->\n```text\n";
  const size_t begin = page.find(mark) + mark.size();
  const auto example = page.substr(begin, page.find("```", begin) - begin);
  EXPECT_EQ(format_bpe(Bpe({{97, 98}, {256, 99}})), example);
  EXPECT_EQ(parse_bpe(example, "page").piece(257), "abc");
}

TEST(Bpe, RefusesWhatIsNoVocabulary) {
  const auto refusal = [](const std::string& text) {
    return message_of<ConfigError>([&] { parse_bpe(text, "v.bpe"); });
  };
  const std::string head = "grapevine-bpe 1\nmerges 2\n97 98\n";
  EXPECT_SAYS(refusal(""), "v.bpe:1: expected 'grapevine-bpe 1'");
  EXPECT_SAYS(refusal("PK\x03\x04"), "a cut line");
  EXPECT_SAYS(refusal("grapevine-bpe 2\n"), "found grapevine-bpe 2");
  EXPECT_SAYS(refusal("grapevine-bpe 1\nmerges -1\n"), "v.bpe:2");
  EXPECT_SAYS(refusal("grapevine-bpe 1\nmerges 99999999\n"), "at most 1000000");
  EXPECT_SAYS(refusal(head), "v.bpe:4: expected two tokens");
  EXPECT_SAYS(refusal(head + "97\n"), "v.bpe:4");
  EXPECT_SAYS(refusal(head + "97 9x\n"), "found 97 9x");
  EXPECT_SAYS(refusal(head + "1 257\n"), "merge 1 (1 257): expected tokens");
  EXPECT_SAYS(refusal(head + "97 98\n"), "was made before");
  EXPECT_SAYS(refusal(head + "256 97\n1 2\n"), "more lines");
  std::string doubling = "grapevine-bpe 1\nmerges 60\n97 97\n";
  for (int i = 0; i < 59; ++i) {
    const auto token = std::to_string(256 + i);
    doubling += token + " " + token + "\n";
  }
  EXPECT_SAYS(refusal(doubling), "longer than any word");
  EXPECT_SAYS(
      message_of<ConfigError>([] { read_bpe("/no/such.bpe"); }),
      "grapevine data bpe");
}

TEST(Bpe, ShakespeareComesBackFromFewerTokens) {
  const auto folder = locate_dataset(test_data("text"));
  if (!folder) GTEST_SKIP() << "tiny-shakespeare is not on this machine";
  const auto bytes = read_file(*folder + "/input.txt");
  const std::string text(bytes.begin(), bytes.end());
  const auto bpe = train(text, 4096);
  EXPECT_EQ(bpe.size(), 4096);
  BpeEncoder encoder(bpe);
  const auto tokens = encoder.encode(text);
  EXPECT_EQ(bpe.decode(tokens), text);
  EXPECT_LT(tokens.size(), text.size() / 3);
}

} // namespace
} // namespace grapevine::data
