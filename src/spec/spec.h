// Everything that decides a run, with its defaults.
//
// The options of graphs, optimizers and agreements are declared by those
// tables; the others in spec/spec_table.cpp. A new option is a field and a
// declaration: flags, --help, TOML, spec.toml, the hash of a run and the
// messages for wrong values follow from it.
#pragma once

#include "algo/agreement.h"
#include "algo/rules.h"
#include "graph/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::spec {

// n, seed, epochs and the options of graphs, optimizers and agreements are
// fields of the bases.
struct Spec : graph::GraphOptions, algo::RuleOptions, algo::AgreementOptions {
  Spec() {
    n = 8;
    seed = 1;
    workers_per_node = 0; // as launched; 1 in a virtual cluster
  }

  // What is trained on what.
  std::string model = "mlp";
  std::string data = "fashion-mnist";
  std::string data_dir;
  int64_t synthetic_samples = 4096;
  int64_t train_samples = 0;    // a fixed subset of so many; 0 = all
  int64_t test_samples = 0;     // the same
  int64_t context = 64;         // text: tokens of a sample
  int64_t image_size = 224;     // imagenet: side of a sample in pixels
  std::string augment = "none"; // small images: random changes
  int64_t cutout = 16;          // the side in pixels of what cutout removes
  std::string vocabulary;       // text: file of byte pairs; empty = bytes
  std::string source_language = "en"; // parallel text
  std::string target_language = "de"; // parallel text
  int64_t longest = 100;              // parallel text: tokens of a side
  std::string split = "iid";          // of the samples over workers
  double alpha = 0.3;                 // split dirichlet
  double dropout = 0;                 // of models that have it

  // Who agrees with whom, and how. The preset sets agreement, optimizer and
  // graph; each of them may be given beside it.
  std::string preset;
  std::string agreement = algo::kDefaultAgreement;
  std::string optimizer = "sgd";
  std::string graph = "ring";
  std::string buffers = "local"; // batch-norm statistics: local | averaged

  // How long.
  int64_t steps = 0;            // a bound on all; 0 = none
  int64_t batch = 32;           // per worker
  int micro_batches = 1;        // parts of a batch, one backward each
  std::string partial = "drop"; // drop | keep

  // The local rule.
  double lr = 0.05; // unless given, what suits the optimizer
  // constant | step | cosine | inverse-sqrt
  std::string lr_schedule = "constant";
  std::vector<double> lr_steps = {0.5, 0.75}; // step: x 0.1 at these fractions
  double lr_end = 0;                          // cosine: left at the end
  double warmup = 0;                          // epochs
  int64_t warmup_steps = 0;                   // instead of epochs
  std::string lr_scaling = "none";            // none | linear | sqrt
  std::string lr_scaling_by = "workers";      // workers | degree
  double clip = 0;                            // global norm; 0 = none
  double label_smoothing = 0; // share of a label that all classes have

  double ema = 0; // decay of the weights' moving average; 0 = none
  // Evaluations without a better one after which the run ends; 0 = none.
  int64_t early_stop = 0;

  // What is measured.
  int64_t probe_every = 25;  // steps; 0 = never
  int64_t trace_every = 100; // steps; 0 = never
  int64_t eval_every = 1; // epochs; the last is always evaluated; 0 = only it
  int64_t eval_samples = 1000; // of the test set, for every replica
  bool eval_full = false;      // replicas on the whole test set
  int64_t beam = 4;            // parallel text: of the search; 0 = no BLEU
  double length_penalty = 0.6; // parallel text: of the search
  bool keep_best = false;      // the model of the best evaluation

  // What the virtual clock counts with; all empty: there is none.
  std::string compute; // seconds of a step: base/compute_words.h
  std::string link;    // RATE,DELAY: base/link_options.h
  std::string slow;    // slow workers: the same
  std::string costs;   // file of `plan measure`

  // Where and how it runs; none of these changes the result.
  std::string transport;      // virtual | mpi | gloo; empty = by the launcher
  std::string device = "cpu"; // that models compute on
  int threads = 0;            // of the virtual cluster; 0 = all cores
  int64_t bucket_bytes = 1 << 20;
  bool packing = false;  // what goes over Gloo, without loss
  double deadline = 300; // seconds
  // Steps; 0 = at the end of the first epoch after a minute, and of the run;
  // -1 = never, not even at the end.
  int64_t checkpoint_every = 0;
  int prefetch = 2;       // batches
  int loader_threads = 1; // that gather them
  std::string out;        // empty = runs/<name>-<hash of the spec>
  bool fresh = false;
  bool check = false;
  std::string init; // safetensors with initial parameters
};

// The parts of a spec that name its graph and its optimizer.
graph::GraphOptions graph_options(const Spec& spec);
algo::RuleOptions rule_options(const Spec& spec);

} // namespace grapevine::spec
