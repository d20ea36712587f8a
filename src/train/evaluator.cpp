#include "train/evaluator.h"

#include "base/random.h"
#include "train/numbers.h"

#include <cmath>
#include <numeric>

namespace grapevine::train {
namespace {

std::vector<int64_t> all_indices(int64_t count) {
  std::vector<int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

bool is_whole(const data::Source& test, const EvaluatorOptions& options) {
  return options.full || options.samples >= test.size();
}

} // namespace

std::unique_ptr<EvaluationSet> draw_evaluation_set(
    const data::Source& test,
    const EvaluatorOptions& options) {
  std::vector<int64_t> indices = all_indices(test.size());
  if (!is_whole(test, options)) {
    Random(options.seed, Purpose::kEvalSubset)
        .shuffle(std::span<int64_t>(indices));
    indices.resize(options.samples);
  }
  return std::make_unique<EvaluationSet>(test, indices);
}

double Evaluation::mean_accuracy() const {
  return mean_of(test_accuracy);
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

Evaluator::Evaluator(
    cluster::Cluster& cluster,
    std::vector<Worker>& workers,
    Worker& spare,
    const data::Source& test,
    const EvaluatorOptions& options)
    : cluster_(cluster),
      workers_(workers),
      spare_(spare),
      has_perplexity_(test.has_tokens()),
      whole_(test, all_indices(test.size())),
      subset_(
          is_whole(test, options) ? nullptr
                                  : draw_evaluation_set(test, options)) {}

Evaluation Evaluator::evaluate() {
  Evaluation evaluation = score_replicas();
  score_averaged(evaluation);
  return evaluation;
}

Evaluation Evaluator::score_replicas() {
  const EvaluationSet& set = subset_ ? *subset_ : whole_;
  cluster::Rows mine(workers_.size());
  cluster_.for_each([&](int index) {
    workers_[index].set_training(false);
    const Score score = workers_[index].score(set);
    workers_[index].set_training(true);
    mine[index] = {score.loss, score.correct};
  });
  Evaluation evaluation;
  evaluation.has_perplexity = has_perplexity_;
  const auto labels = static_cast<double>(set.labels());
  for (const std::vector<double>& row : cluster_.all_gather(mine)) {
    evaluation.test_loss.push_back(row[0] / labels);
    evaluation.test_accuracy.push_back(row[1] / labels);
  }
  return evaluation;
}

void Evaluator::score_averaged(Evaluation& evaluation) {
  cluster_.mean(algo::Plane::kParameters, spare_.arena().parameters());
  cluster_.mean(algo::Plane::kBuffers, spare_.arena().buffers());
  spare_.set_training(false);
  cluster::Rows mine(workers_.size());
  cluster_.for_each([&](int index) {
    const int rank = cluster_.hosted()[index];
    for (int64_t batch = rank; batch < whole_.batches();
         batch += cluster_.size()) {
      const Score score = spare_.score(whole_, batch);
      mine[index].insert(mine[index].end(), {score.loss, score.correct});
    }
  });
  const cluster::Rows rows = cluster_.all_gather(mine);
  Score total;
  for (int64_t batch = 0; batch < whole_.batches(); ++batch) {
    const std::vector<double>& row = rows[batch % cluster_.size()];
    total.loss += row[2 * (batch / cluster_.size())];
    total.correct += row[2 * (batch / cluster_.size()) + 1];
  }
  const auto labels = static_cast<double>(whole_.labels());
  evaluation.averaged_model_loss = total.loss / labels;
  evaluation.averaged_model_accuracy = total.correct / labels;
}

} // namespace grapevine::train
