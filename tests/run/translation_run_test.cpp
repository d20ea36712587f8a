// Runs of models for sentence pairs, and of models that carry state: from the
// files to the result.
#include "base/error.h"
#include "data/bpe.h"
#include "record/record_reader.h"
#include "record/run_directory.h"
#include "run/folder.h"
#include "run/run_config.h"
#include "run/trainer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace grapevine::run {
namespace {

// Sentences of letters, and the same backwards.
void write_pairs(const Folder& folder) {
  std::string forth;
  std::string back;
  for (int i = 0; i < 12; ++i) {
    std::string words;
    std::string swdrow;
    for (int t = 0; t < 4 + i % 3; ++t) {
      const std::string word(1, static_cast<char>('a' + (i * i + 3 * t) % 11));
      words += (t > 0 ? " " : "") + word;
      swdrow = word + (t > 0 ? " " : "") + swdrow;
    }
    forth += words + "\n";
    back += swdrow + "\n";
  }
  folder.write("train.en", forth);
  folder.write("train.de", back);
  folder.write("test.en", forth);
  folder.write("test.de", back);
  std::vector<data::Merge> merges;
  for (int letter = 'a'; letter < 'a' + 11; ++letter)
    merges.push_back({' ', letter});
  data::write_bpe(data::Bpe(merges), folder / "v.bpe");
}

spec::Spec pairs_spec(const Folder& folder) {
  spec::Spec spec;
  spec.model = "transformer-tiny";
  spec.data = "parallel-text";
  spec.data_dir = folder / "";
  spec.vocabulary = folder / "v.bpe";
  spec.n = 2;
  spec.batch = 20; // tokens
  spec.optimizer = "adam";
  spec.lr = 5e-4;
  spec.steps = 2;
  spec.beam = 2;
  spec.threads = 1;
  spec.out = folder / "run";
  return spec;
}

nlohmann::json last_evaluation(const TrainResult& result) {
  nlohmann::json last;
  record::read_run_records(
      record::RunDirectory(result.run),
      [&](const nlohmann::json& line) {
        if (line["type"] == "evaluation") last = line;
      });
  return last;
}

TEST(TranslationRun, BleuIsInRecordsAndResult) {
  const Folder folder;
  write_pairs(folder);
  spec::Spec spec = pairs_spec(folder);
  const TrainResult result = train(spec, {});
  ASSERT_TRUE(result.bleu);
  EXPECT_EQ(last_evaluation(result)["bleu"], *result.bleu);
  EXPECT_EQ(to_json(result)["bleu"], *result.bleu);
  EXPECT_TRUE(result.test_perplexity);
  EXPECT_EQ(evaluate_run(result.run, false, {}).bleu, result.bleu);

  spec.threads = 2;
  spec.out = folder / "threads";
  const TrainResult threads = train(spec, {});
  EXPECT_EQ(threads.parameters_sha256, result.parameters_sha256);
  EXPECT_EQ(threads.bleu, result.bleu);

  spec.beam = 0;
  spec.out = folder / "none";
  EXPECT_FALSE(train(spec, {}).bleu);
}

TEST(TranslationRun, LearnsAFewSentencesByHeart) {
  const Folder folder;
  write_pairs(folder);
  spec::Spec spec = pairs_spec(folder);
  spec.n = 1;
  spec.agreement = "allreduce";
  spec.graph = "complete";
  spec.batch = 200;
  spec.epochs = 80;
  spec.steps = 0;
  spec.eval_every = 0;
  const TrainResult result = train(spec, {});
  EXPECT_GT(*result.bleu, 90);
  EXPECT_LT(*result.test_perplexity, 1.5);
}

TEST(TranslationRun, ModelsForTextAreRefused) {
  const Folder folder;
  write_pairs(folder);
  spec::Spec spec = pairs_spec(folder);
  spec.model = "gpt-mini";
  EXPECT_THROW(train(spec, {}), ConfigError);
  spec.model = "transformer-tiny";
  spec.vocabulary = "";
  EXPECT_THROW(train(spec, {}), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(spec.out));
}

// The state that a recurrent model carries is in the checkpoints: no
// interruption changes the bits, in the middle of an epoch or not.
TEST(RecurrentRun, GoesOnWhereItWas) {
  const Folder folder;
  write_text(folder, 3000);
  spec::Spec spec;
  spec.model = "lstm";
  spec.data = "text";
  spec.data_dir = folder / "";
  spec.context = 10;
  spec.n = 2;
  spec.batch = 4;
  spec.steps = 6;
  spec.lr = 1;
  spec.dropout = 0.2;
  spec.clip = 0.25;
  spec.checkpoint_every = 2;
  spec.out = folder / "whole";
  const TrainResult whole = train(spec, {});
  EXPECT_TRUE(whole.test_perplexity);
  spec.out = folder / "parts";
  const std::atomic<bool> interrupt = true;
  TrainHooks hooks;
  hooks.interrupt = &interrupt;
  const TrainResult part = train(spec, {}, hooks);
  EXPECT_EQ(part.outcome, Outcome::kInterrupted);
  EXPECT_GT(part.steps, 0);
  EXPECT_LT(part.steps, 6);
  EXPECT_EQ(train(spec, {}).parameters_sha256, whole.parameters_sha256);
  spec.buffers = "averaged"; // of other texts
  EXPECT_THROW(make_run_config(spec, {}), ConfigError);
}

} // namespace
} // namespace grapevine::run
