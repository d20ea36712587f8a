#include "model/beam_search.h"

#include "base/check.h"
#include "base/sentence_tokens.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace grapevine::model {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double penalty(int64_t length, double exponent) {
  return std::pow(static_cast<double>(5 + length) / 6, exponent);
}

struct Live {
  std::vector<int64_t> tokens;
  double log_p = 0;
  int64_t row = 0; // of the translation in the making
};

// A live hypothesis and one token more.
struct Candidate {
  double log_p;
  size_t parent; // among the sentence's live ones
  int64_t token;
  bool operator<(const Candidate& other) const {
    return std::tuple(-log_p, parent, token) <
           std::tuple(-other.log_p, other.parent, other.token);
  }
};

// The likeliest tokens behind every row, on the CPU.
struct Likeliest {
  Likeliest(const torch::Tensor& logits, int64_t count) {
    auto all = logits.log_softmax(1);
    for (const int64_t never : {kPad, kBos})
      all.select(1, never).fill_(kImpossible);
    const auto [best, which] = all.topk(std::min(count, logits.size(1)), 1);
    log_p = best.to(torch::kCPU, torch::kDouble).contiguous();
    tokens = which.to(torch::kCPU).contiguous();
  }
  torch::Tensor log_p;
  torch::Tensor tokens;
};

class Sentence {
 public:
  Sentence(int64_t row, int64_t longest, const BeamOptions& options)
      : options_(options),
        longest_(longest),
        live_{{.tokens = {}, .log_p = 0, .row = row}} {}

  bool is_done() const { return live_.empty(); }
  const std::vector<Live>& live() const { return live_; }
  // After the rows have been put in a new order.
  void set_row(size_t index, int64_t row) { live_[index].row = row; }

  void advance(const Likeliest& likeliest) {
    std::vector<Live> next;
    const int64_t length = static_cast<int64_t>(live_[0].tokens.size()) + 1;
    for (const auto& [log_p, parent, token] : best_candidates(likeliest)) {
      Live grown = live_[parent];
      grown.log_p = log_p;
      if (token == kEos) {
        finish(std::move(grown), length);
      } else {
        grown.tokens.push_back(token);
        next.push_back(std::move(grown));
      }
    }
    live_ = std::move(next);
    if (length >= longest_ && !best_ && !live_.empty()) {
      finish(live_[0], length);
    }
    if (length >= longest_ || cannot_improve()) live_.clear();
  }

  Hypothesis take_best() {
    GV_CHECK(best_.has_value());
    return *std::move(best_);
  }

 private:
  std::vector<Candidate> best_candidates(const Likeliest& likeliest) const {
    std::vector<Candidate> candidates;
    const int64_t columns = likeliest.tokens.size(1);
    const auto log_p = likeliest.log_p.accessor<double, 2>();
    const auto tokens = likeliest.tokens.accessor<int64_t, 2>();
    for (size_t parent = 0; parent < live_.size(); ++parent) {
      const int64_t row = live_[parent].row;
      for (int64_t i = 0; i < columns; ++i) {
        if (log_p[row][i] == kImpossible) break; // the rest are worse
        candidates.push_back(
            {live_[parent].log_p + log_p[row][i], parent, tokens[row][i]});
      }
    }
    const auto places = static_cast<size_t>(options_.beam - finished_);
    const size_t count = std::min(candidates.size(), places);
    std::partial_sort(
        candidates.begin(),
        candidates.begin() + static_cast<std::ptrdiff_t>(count),
        candidates.end());
    candidates.resize(count);
    return candidates;
  }

  void finish(Live hypothesis, int64_t length) {
    ++finished_;
    const double score =
        hypothesis.log_p / penalty(length, options_.length_penalty);
    if (best_ && best_->score >= score) return;
    best_ = {std::move(hypothesis.tokens), score};
  }

  // A log p only falls, and no penalty is greater than that of the longest.
  bool cannot_improve() const {
    if (!best_ || live_.empty()) return false;
    return live_[0].log_p / penalty(longest_, options_.length_penalty) <=
           best_->score;
  }

  const BeamOptions& options_;
  int64_t longest_; // with eos
  int64_t finished_ = 0;
  std::vector<Live> live_; // the likeliest first
  std::optional<Hypothesis> best_;
};

// Moves the rows of what is still live together; the last tokens of them.
torch::Tensor keep_live(
    std::vector<Sentence>& sentences,
    Translation& translation) {
  std::vector<int64_t> rows;
  std::vector<int64_t> tokens;
  for (auto& sentence : sentences) {
    for (size_t i = 0; i < sentence.live().size(); ++i) {
      tokens.push_back(sentence.live()[i].tokens.back());
      rows.push_back(sentence.live()[i].row);
      sentence.set_row(i, static_cast<int64_t>(rows.size()) - 1);
    }
  }
  if (!rows.empty()) translation.keep(torch::tensor(rows));
  return torch::tensor(tokens, torch::kLong);
}

std::vector<Sentence> open_sentences(
    const torch::Tensor& sources,
    const BeamOptions& options) {
  const auto lengths = sources.ne(kPad).sum(1).to(torch::kCPU);
  std::vector<Sentence> sentences;
  for (int64_t i = 0; i < sources.size(0); ++i) {
    const int64_t longest = lengths[i].item<int64_t>() + options.extra_length;
    sentences.emplace_back(i, longest, options);
  }
  return sentences;
}

} // namespace

std::vector<Hypothesis> translate(
    Translator& model,
    const torch::Tensor& sources,
    const BeamOptions& options) {
  GV_CHECK_GE(options.beam, 1);
  GV_CHECK(!model.is_training());
  const torch::NoGradGuard no_grad;
  const auto translation = model.begin(sources);
  auto sentences = open_sentences(sources, options);
  auto tokens = torch::full({sources.size(0)}, kBos, torch::kLong);
  while (tokens.size(0) > 0) {
    const Likeliest likeliest(translation->step(tokens), options.beam);
    for (auto& sentence : sentences) {
      if (!sentence.is_done()) sentence.advance(likeliest);
    }
    tokens = keep_live(sentences, *translation);
  }
  std::vector<Hypothesis> hypotheses;
  for (auto& sentence : sentences)
    hypotheses.push_back(sentence.take_best());
  return hypotheses;
}

} // namespace grapevine::model
