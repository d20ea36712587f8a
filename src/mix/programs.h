// The programs of all workers, derived from what a plan computes and who
// computes it (mix/dataflow.h): the messages, the rounds and the slots.
//
// What is computed is sent in the round after; what two workers need of each
// other travels once. Values are sent in round 0. A result takes the place of
// the value as soon as nobody needs that, by the rules of mix/program.h.
#pragma once

#include "mix/dataflow.h"
#include "mix/program.h"

#include <cstdint>
#include <vector>

namespace grapevine::mix {

class Programs {
 public:
  explicit Programs(const Dataflow& dataflow); // borrowed

  Program of(int rank) const;

  // What leaves each node in a step; node a is workers a L .. a L + L - 1, so
  // with L = 1 this is what each worker sends.
  struct Sent {
    int64_t messages = 0;
    double copies = 0; // of a plane
  };
  std::vector<Sent> sent(int workers_per_node) const;

 private:
  // A piece of a number on its way.
  struct Transfer {
    int round;
    int peer;
    int number;
    Piece piece;
  };
  // A node that a worker computes a piece of.
  struct Task {
    int number;
    Piece piece;
  };

  bool is_node(int number) const { return number >= flow_.n; }
  const Dataflow::Node& node(int number) const {
    return flow_.nodes[number - flow_.n];
  }
  bool is_needed(int number) const {
    return !readers_[number].empty() || !takers_[number].empty();
  }
  // Who computes this piece of a number, or the value that it is.
  int owner(int number, Piece piece) const;
  bool holds(int rank, int number, Piece piece) const;
  // Whether the number, once computed or received, is the worker's result.
  bool is_result(int rank, int number) const;
  // When `reader` receives a number that another worker has.
  int transfer_round(int number, int reader) const;

  void find_readers();
  void find_rounds();
  // Of each worker: the last round in which its value is read.
  std::vector<int> last_uses() const;
  // Calls visit(transfer) for all that the worker sends. seen: as many as
  // workers, -1 at first.
  template <typename Visit>
  void for_each_send(int rank, std::vector<int>& seen, const Visit& visit)
      const;
  std::vector<Transfer> receives(int rank) const;
  // By round, the peer nearest in this direction first.
  void sort(std::vector<Transfer>& transfers, int rank, int direction) const;

  const Dataflow& flow_;
  // Of each number: the needed nodes with it as a term, and whose result it is.
  std::vector<std::vector<int>> readers_;
  std::vector<std::vector<int>> takers_;
  std::vector<std::vector<Task>> tasks_; // of each worker, ascending
  // Of each number: when it is computed, and when takers receive it.
  std::vector<int> rounds_;
  std::vector<int> deliveries_;
};

} // namespace grapevine::mix
