// Everything that decides a run, with its defaults.
//
// One table (spec/spec_table.h) knows every field: it feeds the TOML reader,
// the flags, --help, the docs, spec.toml and the messages for wrong values.
// A new option is a field here and a line there.
#pragma once

#include "algo/agreement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::spec {

struct Spec {
  // What is trained on what.
  std::string model = "mlp";
  std::string data = "fashion-mnist";
  std::string data_dir;
  int64_t synthetic_samples = 4096;
  int64_t train_samples = 0;          // a fixed subset of so many; 0 = all
  int64_t test_samples = 0;           // the same
  int64_t context = 64;               // text: tokens of a sample
  int64_t image_size = 224;           // imagenet: side of a sample in pixels
  std::string augment = "none";       // small images: what chance does to them
  int64_t cutout = 16;                // the side in pixels of what it takes out
  std::string vocabulary;             // text: file of byte pairs; empty = bytes
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
  int n = 8;
  int rows = 0;                       // torus
  int k = 0;                          // lattice, random-regular
  std::string edges;                  // edges, directed-edges
  int workers_per_node = 0;           // 0 = as launched; 1 in a virtual cluster
  int k0 = 0;                         // ada
  double gamma = -1;                  // ada; < 0: from k0 and epochs
  int k_min = 2;                      // ada
  std::string ada = "epoch";          // epoch | step | auto: what moves k
  double ada_level = 0.5;             // ada auto: of the spread at its largest
  int64_t ada_every = 10;             // ada auto: steps between observations
  std::string buffers = "local";      // batch-norm statistics: local | averaged
  double rate = 1;                    // gossip: averagings for each gradient
  std::string averagings = "poisson"; // gossip: poisson | exact
  bool continuous_momentum = false;   // gossip: that of A2CiD2
  int64_t max_lag = -1; // gossip: averagings behind which gradients wait

  // How long.
  int64_t epochs = 1;
  int64_t steps = 0;            // a bound on all; 0 = none
  int64_t batch = 32;           // a worker's
  int micro_batches = 1;        // parts of a batch, one backward each
  std::string partial = "drop"; // drop | keep
  uint64_t seed = 1;

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
  double momentum = 0.9;                      // sgd
  bool nesterov = false;                      // sgd
  double beta1 = 0.9;                         // adam and its kin
  double beta2 = 0.999;                       // adam and its kin
  double eps = 1e-8;                          // adam and its kin
  int64_t window = 4;                         // accumadam, accumadamw
  double weight_decay = 0;
  std::string decay = "matrices"; // matrices (not norms and biases) | all
  double clip = 0;                // global norm; 0 = none
  double label_smoothing = 0;     // share of a label that all classes have

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

} // namespace grapevine::spec
