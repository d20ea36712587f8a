// A torch::nn::Module that is trained by a group of workers.
#pragma once

#include <grapevine/group.h>
#include <grapevine/options.h>

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace grapevine {

struct DataParallelOptions {
  // "allreduce": gradients averaged over all workers (the graph is complete).
  // "adapt-then-combine": a local step, then parameters averaged with the
  // graph's neighbours.
  // "combine-while-adapt": a local step while the parameters are averaged
  // behind it: an exchange has a whole iteration to hide in.
  // "push-sum", "push-sum-overlapped": the two before, on directed graphs too.
  // "gradient-tracking": for data that differ from worker to worker; twice the
  // bytes, and no clip.
  std::string agreement = "adapt-then-combine";
  // Any graph that `grapevine graph` knows, and its options: {{"k", 4}}.
  std::string graph = "ring";
  Options graph_options = {};
  // For aer, and how group averages travel. 0 = as launched: found out from the
  // launcher (LOCAL_RANK, …), from MPI or from the names of the hosts; 1 where
  // all are on one node, where nodes are of unequal sizes, and where the ranks
  // of a node do not follow each other.
  int workers_per_node = 0;
  int64_t epochs = 1;          // ada
  int64_t steps_per_epoch = 1; // ada
  uint64_t seed = 0;           // random graphs

  // "sgd", "adam", "adamw": torch's, with its bits. "accumadam" and
  // "accumadamw" update the moments once per `window` steps, by the mean
  // gradient of those steps, as a batch that many times as large would; 4 does
  // for 8 workers, 8 for 16. Options that are not given have the defaults of
  // `grapevine train`. Weight decay leaves out norms and biases (tensors of one
  // dimension) unless "decay" is "all"; torch's decay all they are given.
  std::string optimizer = "sgd";
  Options optimizer_options = {}; // {{"lr", 0.1}, {"momentum", 0.9}}
  double clip = 0;                // norm of the whole gradient; 0 = none
  bool average_buffers = false;   // batch-norm statistics take part
  bool check = false;             // verify invariants after every step
};

class DataParallel {
 public:
  // Moves the module's parameters, gradients and buffers into one block of
  // memory each (they stay the module's tensors, as views) and gives all
  // workers the values of worker 0. Collective. The module must be float32 on
  // the host, and must outlive this. A group has one of these at a time; it
  // ends on all workers together, since an exchange that is under way comes to
  // its end.
  //
  // Do not, afterwards: call zero_grad(true), to(), or torch::load on the
  // module, or change its parameters' set; zero_grad() here and on the module
  // are fine.
  DataParallel(
      torch::nn::Module& module,
      Group group,
      DataParallelOptions options = {});
  ~DataParallel();

  void zero_grad();
  // One step from the gradients that backward() left. Collective. Throws
  // std::runtime_error naming the worker that was waited for, the operation
  // and the step when a peer or a link fails. After an exception, one that
  // compute_loss below has thrown, too, the group is of no more use.
  void step();
  // The same with backward inside, which is faster over a network: what is
  // final is updated and sent while backward computes the rest. Clears the
  // gradients, calls compute_loss(), runs backward() of what it returns, and
  // returns the loss. Where a batch comes in parts, compute_loss runs
  // backward() of all but the last itself. Parameters change as soon as their
  // gradients are final, so set_lr before. The same bits as step().
  double step(const std::function<torch::Tensor()>& compute_loss);

  double lr() const;
  void set_lr(double lr);

  // Replaces every worker's parameters and buffers by their mean. Collective.
  void average();
  // To be called by all workers, between the same two steps, after any of them
  // has written parameters in place: loaded a checkpoint, say. With the
  // agreements that overlap, an exchange of the old ones is under way then,
  // which the next step would mix in; it is dropped. The others need no such
  // call, and it does them no harm. Collective.
  void parameters_replaced();
  // (1/n) sum of squared distances from the mean. Collective.
  double consensus_distance();

  int64_t steps() const; // done
  int rank() const;
  int size() const;
  int workers_per_node() const; // as given, or as found
  // Payload that this worker has sent.
  int64_t messages_sent() const;
  int64_t bytes_sent() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine
