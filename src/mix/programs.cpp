#include "mix/programs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace grapevine::mix {

Programs::Programs(const Dataflow& dataflow)
    : flow_(dataflow),
      readers_(dataflow.numbers()),
      takers_(dataflow.numbers()),
      tasks_(dataflow.n),
      rounds_(dataflow.numbers(), -1),
      deliveries_(dataflow.numbers(), -1) {
  find_readers();
  find_rounds();
  // A result waits until the value is out of use, which is known only now.
  find_rounds();
}

// Only what a result needs is computed.
void Programs::find_readers() {
  for (int i = 0; i < flow_.n; ++i) {
    if (flow_.results[i] != i) takers_[flow_.results[i]].push_back(i);
  }
  for (int number = flow_.numbers() - 1; is_node(number); --number) {
    if (!is_needed(number)) continue;
    for (const int term : node(number).terms)
      readers_[term].push_back(number);
  }
  for (int number = flow_.n; number < flow_.numbers(); ++number) {
    if (!is_needed(number)) continue;
    const Dataflow::Node& it = node(number);
    for (size_t i = 0; i < it.owners.size(); ++i)
      tasks_[it.owners[i]].push_back({number, it.piece(i)});
  }
}

void Programs::find_rounds() {
  const std::vector<int> last = last_uses();
  for (int number = flow_.n; number < flow_.numbers(); ++number) {
    if (!is_needed(number)) continue;
    const Dataflow::Node& it = node(number);
    int& round = rounds_[number];
    round = 0;
    for (const int term : it.terms) {
      if (!is_node(term)) continue; // values are there
      for (size_t i = 0; i < it.owners.size(); ++i) {
        const bool is_here = holds(it.owners[i], term, it.piece(i));
        round = std::max(round, rounds_[term] + (is_here ? 0 : 1));
      }
    }
    for (const int owner : it.owners) {
      if (!is_result(owner, number)) continue;
      const int wait = it.is_relay() ? kPostAhead + 1 : 0;
      round = std::max(round, last[owner] + wait);
    }
    deliveries_[number] = round + 1;
    for (const int taker : takers_[number]) {
      deliveries_[number] =
          std::max(deliveries_[number], last[taker] + kPostAhead + 1);
    }
  }
}

std::vector<int> Programs::last_uses() const {
  std::vector<int> last(flow_.n, 0);
  for (int rank = 0; rank < flow_.n; ++rank) {
    for (const int reader : readers_[rank]) {
      const auto& owners = node(reader).owners;
      if (std::ranges::find(owners, rank) == owners.end()) continue;
      last[rank] = std::max(last[rank], rounds_[reader]);
    }
  }
  return last;
}

int Programs::owner(int number, Piece piece) const {
  if (!is_node(number)) return number;
  const Dataflow::Node& it = node(number);
  return it.owners[it.is_split ? piece.index : 0];
}

bool Programs::holds(int rank, int number, Piece piece) const {
  if (!is_node(number) || node(number).is_split) {
    return owner(number, piece) == rank;
  }
  const auto& owners = node(number).owners;
  return std::ranges::find(owners, rank) != owners.end();
}

bool Programs::is_result(int rank, int number) const {
  int result = flow_.results[rank];
  while (result != number && is_node(result) && node(result).is_relay())
    result = node(result).terms[0];
  return result == number && is_node(number);
}

int Programs::transfer_round(int number, int reader) const {
  return node(reader).is_relay() ? rounds_[reader] : rounds_[number] + 1;
}

template <typename Visit>
void Programs::for_each_send(
    int rank,
    std::vector<int>& seen,
    const Visit& visit) const {
  const auto send = [&](int number, Piece mine) {
    for (const int reader : readers_[number]) {
      const Dataflow::Node& it = node(reader);
      const int round = transfer_round(number, reader);
      for (size_t i = 0; i < it.owners.size(); ++i) {
        const int peer = it.owners[i];
        const Piece piece = it.piece(i);
        if (mine.of > 1 && mine.index != piece.index) continue;
        if (holds(peer, number, piece)) continue;
        if (!it.is_split && std::exchange(seen[peer], number) == number) {
          continue;
        }
        visit(Transfer{round, peer, number, piece});
      }
    }
    for (const int taker : takers_[number]) {
      if (holds(taker, number, mine)) continue;
      visit(Transfer{deliveries_[number], taker, number, mine});
    }
  };
  send(rank, {});
  for (const Task& task : tasks_[rank])
    send(task.number, task.piece);
}

std::vector<Programs::Transfer> Programs::receives(int rank) const {
  std::vector<Transfer> all;
  for (const Task& task : tasks_[rank]) {
    for (const int term : node(task.number).terms) {
      if (holds(rank, term, task.piece)) continue;
      all.push_back(
          {transfer_round(term, task.number),
           owner(term, task.piece),
           term,
           task.piece});
    }
  }
  const int result = flow_.results[rank];
  for (int p = 0; is_node(result) && p < node(result).pieces(); ++p) {
    const Piece piece = node(result).piece(p);
    if (holds(rank, result, piece)) continue;
    all.push_back({deliveries_[result], owner(result, piece), result, piece});
  }
  sort(all, rank, -1);
  // Two readers of one worker share what comes.
  const auto same = [](const Transfer& a, const Transfer& b) {
    return a.number == b.number && a.piece == b.piece;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

void Programs::sort(std::vector<Transfer>& transfers, int rank, int direction)
    const {
  // Not all workers send to rank 0 first. The rest of the key is the same on
  // both sides.
  const auto key = [&](const Transfer& it) {
    const int distance = (direction * (it.peer - rank) + flow_.n) % flow_.n;
    return std::tuple(it.round, distance, it.number, it.piece.index);
  };
  std::ranges::sort(transfers, {}, key);
}

Program Programs::of(int rank) const {
  Program program;
  std::map<int, int> scratch;
  const auto slot_of = [&](int number) {
    if (number == rank) return kValue;
    if (is_result(rank, number)) return kResult;
    const auto [it, is_new] = scratch.try_emplace(number, program.slots);
    if (is_new) program.add_slot();
    return it->second;
  };
  for (const Transfer& it : receives(rank))
    program.receives.push_back(
        {it.round, it.peer, slot_of(it.number), it.piece});
  for (const Task& task : tasks_[rank]) {
    const Dataflow::Node& it = node(task.number);
    if (it.is_relay()) continue;
    Combine sum{
        .round = rounds_[task.number],
        .dst = slot_of(task.number),
        .terms = {},
        .weights = it.weights,
        .scale = it.scale,
        .piece = task.piece};
    for (const int term : it.terms)
      sum.terms.push_back(slot_of(term));
    program.combines.push_back(std::move(sum));
  }
  std::ranges::stable_sort(program.combines, {}, [](const Combine& it) {
    return std::pair(it.round, it.dst == kResult);
  });
  std::vector<Transfer> outgoing;
  std::vector<int> seen(flow_.n, -1);
  for_each_send(rank, seen, [&](const Transfer& it) {
    outgoing.push_back(it);
  });
  sort(outgoing, rank, 1);
  for (const Transfer& it : outgoing)
    program.sends.push_back({it.round, it.peer, slot_of(it.number), it.piece});
  return program;
}

std::vector<Programs::Sent> Programs::sent(int workers_per_node) const {
  const auto node_of = [&](int rank) { return rank / workers_per_node; };
  std::vector<Sent> sent(node_of(flow_.n - 1) + 1);
  std::vector<int> seen(flow_.n, -1);
  for (int rank = 0; rank < flow_.n; ++rank) {
    Sent& mine = sent[node_of(rank)];
    std::map<int, int64_t> counts; // by pieces per plane
    for_each_send(rank, seen, [&](const Transfer& it) {
      if (node_of(it.peer) != node_of(rank)) ++counts[it.piece.of];
    });
    for (const auto& [of, count] : counts) {
      mine.messages += count;
      mine.copies += static_cast<double>(count) / of;
    }
  }
  return sent;
}

} // namespace grapevine::mix
