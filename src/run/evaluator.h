// Evaluates every replica and the averaged model, over a whole cluster.
#pragma once

#include "data/source.h"
#include "mix/cluster.h"
#include "run/worker.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace grapevine::run {

struct Evaluation {
  int64_t replica_samples = 0; // that each replica was evaluated on
  int64_t averaged_model_samples = 0;
  std::vector<double> test_accuracy; // of each replica, in rank order
  std::vector<double> test_loss;
  double averaged_model_accuracy = 0;
  double averaged_model_loss = 0;
  // Of images in more than ten classes; else empty and nothing: how often the
  // right class was among the five most likely.
  std::vector<double> test_top5;
  std::optional<double> averaged_model_top5;
  // The mean of the replicas' moving averages, where they keep them.
  std::optional<double> ema_accuracy;
  std::optional<double> ema_loss;
  // Of the averaged model, on sentence pairs, where it has translated them.
  std::optional<double> bleu;
  bool has_perplexity = false; // of text; else the following are nothing

  double mean_accuracy() const;
  std::optional<double> mean_top5() const;
  // exp of the mean loss of each replica, in rank order; empty for nothing.
  std::vector<double> test_perplexity() const;
  std::optional<double> mean_perplexity() const; // over the replicas
  std::optional<double> averaged_model_perplexity() const;
  std::optional<double> ema_perplexity() const;
};

struct EvaluatorOptions {
  // Replicas see the same `samples` of the test set, drawn by seed; all of it
  // if that is as large or `full`. The averaged model always sees all.
  int64_t samples = 1000;
  bool full = false;
  uint64_t seed = 0;
  // For models that carry state; the samples are the first then.
  bool in_streams = false;
  bool moving_average = false; // replicas have one (algo::Plane)
  TranslationOptions translation = {};
};

struct RunConfig;
// How the replicas of a run are evaluated.
EvaluatorOptions evaluator_options(const RunConfig& config);

// The samples that replicas are evaluated on, by these options.
std::unique_ptr<EvaluationSet> draw_evaluation_set(
    const data::Source& test,
    const EvaluatorOptions& options);

class Evaluator {
 public:
  // workers: those that this process hosts. spare: one like them, into which
  // the averaged model is put. All borrowed.
  Evaluator(
      std::vector<Worker>& workers,
      Worker& spare,
      const data::Source& test,
      const EvaluatorOptions& options);

  // Collective; the same result on every process. For the averaged model the
  // parts of the test set are dealt to the workers, so that no process waits
  // long. Leaves the averaged model in the spare worker.
  Evaluation evaluate(mix::Cluster& cluster);
  // Where the test set is sentence pairs (and there is a beam), lets the
  // averaged model translate it, and adds the BLEU. That takes longer than the
  // rest, so it is for the end of a run. Collective, and leaves the averaged
  // model as above.
  void translate(mix::Cluster& cluster, Evaluation& evaluation);

 private:
  Evaluation score_replicas(mix::Cluster& cluster);
  // Puts the mean of that plane into the spare worker.
  void take_mean(mix::Cluster& cluster, algo::Plane plane);
  // Scores the mean of that plane on the whole test set.
  Score score_mean(mix::Cluster& cluster, algo::Plane plane);
  // BLEU of the spare worker on the test set. Sentences of about the same
  // length go through beam search together, in batches that are dealt to the
  // workers. data/bleu.h is the definition.
  double corpus_bleu(mix::Cluster& cluster);

  std::vector<Worker>& workers_;
  Worker& spare_;
  const data::Source& test_;
  TranslationOptions translation_;
  bool has_perplexity_;
  bool has_top5_;
  bool has_moving_average_;
  EvaluationSet whole_;
  std::unique_ptr<EvaluationSet> subset_;
};

} // namespace grapevine::run
