#include "run/evaluator.h"

#include "base/random.h"
#include "data/bleu.h"
#include "data/source.h"
#include "run/numbers.h"
#include "run/run_config.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::run {
namespace {

std::vector<int64_t> all_indices(int64_t count) {
  std::vector<int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

std::vector<double> row_of(const Score& score) {
  return {score.labels, score.loss, score.correct, score.among_five};
}
constexpr size_t kRow = 4;

Score score_in(const std::vector<double>& row, size_t begin = 0) {
  return {
      .labels = row[begin],
      .loss = row[begin + 1],
      .correct = row[begin + 2],
      .among_five = row[begin + 3]};
}

constexpr int64_t kSentencesAtOnce = 32;

std::vector<int64_t> by_length(const data::Source& test) {
  const std::vector<int64_t> lengths = test.lengths();
  std::vector<int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return lengths[i]; });
  return order;
}

data::BleuCounts count_batch(
    const Worker& translator,
    const data::Source& test,
    std::span<const int64_t> indices,
    const TranslationOptions& options) {
  data::Batch batch;
  test.gather(indices, batch);
  const auto translations = translator.translate(batch, options);
  data::BleuCounts counts;
  for (size_t i = 0; i < indices.size(); ++i) {
    counts += data::count_bleu(
        test.pairs()->text_of(translations[i]),
        test.pairs()->reference(indices[i]));
  }
  return counts;
}

std::vector<double> bleu_row(const data::BleuCounts& counts) {
  std::vector<double> row = {
      static_cast<double>(counts.candidate_words),
      static_cast<double>(counts.reference_words)};
  for (int n = 0; n < data::BleuCounts::kOrders; ++n) {
    row.push_back(static_cast<double>(counts.matches[n]));
    row.push_back(static_cast<double>(counts.candidates[n]));
  }
  return row;
}

data::BleuCounts bleu_in(const std::vector<double>& row) {
  data::BleuCounts counts;
  counts.candidate_words = std::llround(row[0]);
  counts.reference_words = std::llround(row[1]);
  for (int n = 0; n < data::BleuCounts::kOrders; ++n) {
    counts.matches[n] = std::llround(row[2 + 2 * n]);
    counts.candidates[n] = std::llround(row[3 + 2 * n]);
  }
  return counts;
}

bool is_whole(const data::Source& test, const EvaluatorOptions& options) {
  return options.full || options.samples >= test.size();
}

} // namespace

EvaluatorOptions evaluator_options(const RunConfig& config) {
  return {
      .samples = config.spec.eval_samples,
      .full = config.spec.eval_full,
      .seed = config.spec.seed,
      .in_streams = config.in_streams,
      .moving_average = config.has_moving_average(),
      .translation = {
          .beam = config.spec.beam,
          .length_penalty = config.spec.length_penalty}};
}

std::unique_ptr<EvaluationSet> draw_evaluation_set(
    const data::Source& test,
    const EvaluatorOptions& options) {
  std::vector<int64_t> indices = all_indices(test.size());
  if (!is_whole(test, options)) {
    if (!options.in_streams) {
      Random(options.seed, Purpose::kEvalSubset)
          .shuffle(std::span<int64_t>(indices));
    }
    indices.resize(options.samples);
  }
  return std::make_unique<EvaluationSet>(
      test,
      indices,
      EvaluationOptions{.in_streams = options.in_streams});
}

double Evaluation::mean_accuracy() const {
  return mean_of(test_accuracy);
}

std::optional<double> Evaluation::mean_top5() const {
  if (test_top5.empty()) return std::nullopt;
  return mean_of(test_top5);
}

std::vector<double> Evaluation::test_perplexity() const {
  std::vector<double> perplexity;
  if (!has_perplexity) return perplexity;
  for (const double loss : test_loss)
    perplexity.push_back(std::exp(loss));
  return perplexity;
}

std::optional<double> Evaluation::mean_perplexity() const {
  if (!has_perplexity) return std::nullopt;
  return mean_of(test_perplexity());
}

std::optional<double> Evaluation::averaged_model_perplexity() const {
  if (!has_perplexity) return std::nullopt;
  return std::exp(averaged_model_loss);
}

std::optional<double> Evaluation::ema_perplexity() const {
  if (!has_perplexity || !ema_loss) return std::nullopt;
  return std::exp(*ema_loss);
}

Evaluator::Evaluator(
    std::vector<Worker>& workers,
    Worker& spare,
    const data::Source& test,
    const EvaluatorOptions& options)
    : workers_(workers),
      spare_(spare),
      test_(test),
      translation_(options.translation),
      has_perplexity_(test.has_tokens()),
      has_top5_(!has_perplexity_ && test.classes() >= kClassesForTop5),
      has_moving_average_(options.moving_average),
      whole_(
          test,
          all_indices(test.size()),
          {.in_streams = options.in_streams}),
      subset_(
          is_whole(test, options) ? nullptr
                                  : draw_evaluation_set(test, options)) {}

Evaluation Evaluator::evaluate(mix::Cluster& cluster) {
  Evaluation evaluation = score_replicas(cluster);
  if (has_moving_average_) {
    const Score score = score_mean(cluster, algo::Plane::kMovingAverage);
    evaluation.ema_accuracy = score.correct / score.labels;
    evaluation.ema_loss = score.loss / score.labels;
  }
  const Score score = score_mean(cluster, algo::Plane::kParameters);
  evaluation.averaged_model_loss = score.loss / score.labels;
  evaluation.averaged_model_accuracy = score.correct / score.labels;
  if (has_top5_) {
    evaluation.averaged_model_top5 = score.among_five / score.labels;
  }
  return evaluation;
}

Evaluation Evaluator::score_replicas(mix::Cluster& cluster) {
  const EvaluationSet& set = subset_ ? *subset_ : whole_;
  mix::Rows mine(workers_.size());
  cluster.for_each([&](int index) {
    workers_[index].set_training(false);
    mine[index] = row_of(workers_[index].score(set));
    workers_[index].set_training(true);
  });
  Evaluation evaluation;
  evaluation.replica_samples = set.samples();
  evaluation.averaged_model_samples = whole_.samples();
  evaluation.has_perplexity = has_perplexity_;
  for (const std::vector<double>& row : cluster.all_gather(mine)) {
    const Score score = score_in(row);
    evaluation.test_loss.push_back(score.loss / score.labels);
    evaluation.test_accuracy.push_back(score.correct / score.labels);
    if (has_top5_) {
      evaluation.test_top5.push_back(score.among_five / score.labels);
    }
  }
  return evaluation;
}

void Evaluator::take_mean(mix::Cluster& cluster, algo::Plane plane) {
  cluster.mean(plane, spare_.arena().parameters());
  cluster.mean(algo::Plane::kBuffers, spare_.arena().buffers());
  spare_.set_training(false);
}

void Evaluator::translate(mix::Cluster& cluster, Evaluation& evaluation) {
  if (test_.pairs() == nullptr || translation_.beam == 0) return;
  take_mean(cluster, algo::Plane::kParameters);
  evaluation.bleu = corpus_bleu(cluster);
}

Score Evaluator::score_mean(mix::Cluster& cluster, algo::Plane plane) {
  take_mean(cluster, plane);
  mix::Rows mine(workers_.size());
  cluster.for_each([&](int index) {
    const int rank = cluster.hosted()[index];
    for (int64_t part = rank; part < whole_.parts(); part += cluster.size()) {
      const std::vector<double> row = row_of(spare_.score(whole_, part));
      mine[index].insert(mine[index].end(), row.begin(), row.end());
    }
  });
  const mix::Rows rows = cluster.all_gather(mine);
  Score total;
  for (int64_t part = 0; part < whole_.parts(); ++part) {
    total +=
        score_in(rows[part % cluster.size()], kRow * (part / cluster.size()));
  }
  return total;
}

double Evaluator::corpus_bleu(mix::Cluster& cluster) {
  const std::vector<int64_t> order = by_length(test_);
  const auto sentences = static_cast<int64_t>(order.size());
  mix::Rows mine(workers_.size());
  cluster.for_each([&](int index) {
    data::BleuCounts counts;
    const int64_t stride = kSentencesAtOnce * cluster.size();
    for (int64_t begin = kSentencesAtOnce * cluster.hosted()[index];
         begin < sentences;
         begin += stride) {
      const int64_t count = std::min(kSentencesAtOnce, sentences - begin);
      counts += count_batch(
          spare_,
          test_,
          std::span(order).subspan(begin, count),
          translation_);
    }
    mine[index] = bleu_row(counts);
  });
  data::BleuCounts all;
  for (const std::vector<double>& row : cluster.all_gather(mine))
    all += bleu_in(row);
  return all.score();
}

} // namespace grapevine::run
