#include "model/beam_search.h"

#include "model/pairs.h"

namespace grapevine::model {
namespace {

constexpr int kClasses = 5;

torch::Tensor sources_of(const std::vector<Sentence>& sentences) {
  std::vector<SentencePair> pairs;
  for (const auto& sentence : sentences)
    pairs.push_back({sentence, {}});
  const auto rows = rows_of(pairs);
  return rows.narrow(1, 0, rows.size(1) - 1);
}

// By whole forward passes, without caches.
class Plain {
 public:
  Plain(Translator& model, Sentence source, const BeamOptions& options)
      : model_(model),
        source_(std::move(source)),
        options_(options),
        longest_(
            static_cast<int64_t>(source_.size()) + 1 + options.extra_length) {}

  // Over every sentence that can be written.
  Hypothesis exhaustive() {
    best_ = {.tokens = {}, .score = -1e9};
    extend({}, 0);
    return best_;
  }

  Sentence greedy() {
    Sentence written;
    for (int64_t length = 1; length <= longest_; ++length) {
      const auto real = log_p(written).narrow(0, kEos, kClasses - kEos);
      const auto token = kEos + real.argmax().item<int64_t>();
      if (token == kEos) break;
      written.push_back(token);
    }
    return written;
  }

 private:
  torch::Tensor log_p(const Sentence& written) {
    const torch::NoGradGuard no_grad;
    const auto logits = model_.forward(rows_of({{source_, written}}));
    return logits[logits.size(0) - 1].log_softmax(0);
  }

  void extend(const Sentence& written, double sum) {
    const auto next = log_p(written);
    const auto length = static_cast<int64_t>(written.size()) + 1;
    const double all = sum + next[kEos].item<double>();
    const double score = all / std::pow(
                                   (5.0 + static_cast<double>(length)) / 6,
                                   options_.length_penalty);
    if (score > best_.score) best_ = {written, score};
    if (length == longest_) return;
    for (int64_t token = 0; token < kClasses; ++token) {
      if (token == kEos || token == kBos || token == kPad) continue;
      Sentence more = written;
      more.push_back(token);
      extend(more, sum + next[token].item<double>());
    }
  }

  Translator& model_;
  Sentence source_;
  BeamOptions options_;
  int64_t longest_; // with eos
  Hypothesis best_;
};

std::shared_ptr<Translator> ready_model() {
  auto model = small_transformer(kClasses);
  model->eval();
  return model;
}

const std::vector<Sentence> kSources = {{3}, {4, 4, 3}, {}, {3, 4}};

TEST(BeamSearch, OfAllHypothesesIsExhaustive) {
  const auto model = ready_model();
  for (const double length_penalty : {0.0, 0.6, 2.0}) {
    const BeamOptions options = {
        .beam = 500,
        .length_penalty = length_penalty,
        .extra_length = 2};
    const auto found = translate(*model, sources_of(kSources), options);
    for (size_t i = 0; i < kSources.size(); ++i) {
      const auto expected = Plain(*model, kSources[i], options).exhaustive();
      EXPECT_EQ(found[i].tokens, expected.tokens) << i;
      EXPECT_NEAR(found[i].score, expected.score, 1e-9) << i;
    }
  }
}

TEST(BeamSearch, OfOneIsGreedy) {
  const auto model = ready_model();
  const BeamOptions options = {.beam = 1, .extra_length = 6};
  const auto found = translate(*model, sources_of(kSources), options);
  for (size_t i = 0; i < kSources.size(); ++i) {
    EXPECT_EQ(found[i].tokens, Plain(*model, kSources[i], options).greedy())
        << i;
  }
}

TEST(BeamSearch, SentencesDoNotDisturbEachOther) {
  const auto model = ready_model();
  for (const int64_t beam : {1, 2, 4}) {
    const BeamOptions options = {.beam = beam, .extra_length = 6};
    const auto together = translate(*model, sources_of(kSources), options);
    for (size_t i = 0; i < kSources.size(); ++i) {
      const auto alone = translate(*model, sources_of({kSources[i]}), options);
      EXPECT_EQ(together[i].tokens, alone[0].tokens) << i;
      EXPECT_NEAR(together[i].score, alone[0].score, 1e-9) << i;
    }
  }
}

// A model that is all but sure never to end.
TEST(BeamSearch, EndsAtTheLongest) {
  const auto model = small_transformer(kClasses);
  model->eval();
  {
    const torch::NoGradGuard no_grad;
    auto norm = model->named_parameters()["decoder.layers.1.norm3.bias"];
    auto embedding = model->named_parameters()["embedding.weight"];
    norm.copy_(-1000 * embedding[kEos]);
  }
  const auto found =
      translate(*model, sources_of(kSources), {.beam = 2, .extra_length = 4});
  for (size_t i = 0; i < kSources.size(); ++i)
    EXPECT_EQ(found[i].tokens.size(), kSources[i].size() + 1 + 4);
}

} // namespace
} // namespace grapevine::model
