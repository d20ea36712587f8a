// Finding somebody to average with, peer to peer.
//
// The rules of one worker, as a machine that is told what happens and answers
// with what to say. It knows no network and no clock: the processes of a real
// run, the events of a virtual one and the tests drive the same code.
//
// Five words, over channels that keep their order:
//
//   ask     will you average with me?
//   yes     the two are a pair from now on
//   soon    not now; but I owe you an ask, and shall want it when the pair that
//           I am in is over
//   later   not now; but I owe you an ask
//   no      not now, and I owe kMostOwed others an ask already
//
// A worker that wants an averaging and is not occupied asks one neighbour at a
// time: first those that it owes an ask, the longest ago first, then others in
// random order, but not those that owe it one. So a worker that is left
// waiting is asked, and nobody polls. After kMostRefusals of those others it
// waits for what it is owed, or for its next want, which gives it new courage:
// where neighbours are many, wants that find no partner add up until one of
// two asks finds one, and a match costs a few words whatever the degree.
//
// No encores: a worker to whom another neighbour has said soon does not take
// its last partner again before that one has asked, or so many wants have come
// as came during its own last pair, and one more: that is how long the other's
// may still take. Else neighbours that are always free at the same moments
// would average with each other for ever, and never with the rest; and who
// waited for less would wait in vain wherever a pair takes longer than a
// gradient.
//
// Who is asked
//
//   and wants an averaging and is not occupied       says yes
//   and is itself waiting for the answer of the asker    has the answer: both
//                 asked, they are a pair without another word
//   and is waiting for the answer of somebody else       keeps a *higher* rank
//                 waiting until it knows, and refuses a lower one at once
//   else (in a pair, not in want, or an encore)          refuses: soon, later
//                 or no
//
// Nobody waits for ever: a chain of workers that keep each other waiting falls
// in rank along the way, so it has an end, and that one has its answer. And
// nobody circles: of workers that ask each other around a ring, the lowest
// keeps its asker and takes it when its own ask is refused.
//
// A match costs two words (one each where the asks cross) and a refusal two.
// With no more neighbours than kMostOwed and kMostRefusals, no two that want
// each other are left waiting; with more, the next want of either brings them
// on. tests/gossip/pairing_model_test.cpp goes through every order of events
// of small graphs.
//
// One thread at a time.
#pragma once

#include "base/random.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace grapevine::gossip {

enum class PairingKind : uint8_t {
  kAsk = 1,
  kYes = 2,
  kLater = 3,
  kNo = 4,
  kSoon = 5,
};
inline constexpr int kPairingKinds = 5;

struct PairingMessage {
  int peer = -1;
  PairingKind word = PairingKind::kAsk;
  bool operator==(const PairingMessage&) const = default;
};

class Pairing {
 public:
  static constexpr int kMostOwed = 2;
  static constexpr int kMostRefusals = 2;

  // seed: of the order in which neighbours are asked.
  Pairing(int rank, std::vector<int> neighbours, uint64_t seed);

  // What happens. Each appends to `say` what is to be said because of it, in
  // this order.

  // The worker wants `count` more averagings; 0: it is reminded of those that
  // it wants already.
  void want(int64_t count, std::vector<PairingMessage>& say);
  // Throws TransportError for an answer to what was not asked.
  void hear(int peer, PairingKind word, std::vector<PairingMessage>& say);
  // The averaging with partner() is over, or was given up.
  void finish(std::vector<PairingMessage>& say);
  // A neighbour is gone, and nothing it said before counts any more; or it is
  // there (again). A pair with one that is gone is still to be finished.
  void lose(int peer, std::vector<PairingMessage>& say);
  void join(int peer, std::vector<PairingMessage>& say);
  // From now on the worker asks, of its own accord, only these: a graph that
  // has changed. It still answers all neighbours, asks those that it owes an
  // ask, and may be asked by others that have not heard of the change.
  void ask_only(std::vector<int> peers, std::vector<PairingMessage>& say);
  // The worker asks nobody any more and takes nobody; a pair goes on to its
  // end, and an ask that is under way may still make one.
  void stop(std::vector<PairingMessage>& say);

  // Whom it is paired with, and since which word both of them know: from then
  // on they average.
  std::optional<int> partner() const { return partner_; }
  // Averagings wanted and not yet begun.
  int64_t wanted() const { return wanted_; }
  // Whether no neighbour is there that it would ask of its own accord.
  bool is_alone() const;
  // Whose answer it waits for.
  std::optional<int> asked() const { return asked_; }

  // For the state of a checkpoint and for exploring all states: everything
  // that the next answer depends on, but for ask_only(), which is said again.
  struct State {
    int64_t wanted = 0;
    std::optional<int> partner;
    std::optional<int> asked;
    std::vector<int> owed;    // have an ask coming, in the order of theirs
    std::vector<int> kept;    // waiting for an answer, in their order
    std::vector<int> refused; // owe it an ask; ascending
    std::vector<int> soon;    // those of them that will ask soon; ascending
    std::optional<int> last;  // partner
    int wants_in_pair = 0;    // calls of want() since the pair began
    int patience = 0;         // such calls that it still waits for a promise
    int refusals = 0;         // of those that were owed no ask
    bool paying = false;      // asked is one of those that were owed it
    uint64_t draws = 0;
    bool stopped = false;
    bool operator==(const State&) const = default;
    auto operator<=>(const State&) const = default;
  };
  State state() const;
  void restore(const State& state);

 private:
  bool is_free() const { return !partner_ && !asked_; }
  bool is_in_want() const { return wanted_ > 0 && !stopped_; }
  bool is_neighbour(int peer) const;
  void hear_ask(int peer, std::vector<PairingMessage>& say);
  // Begins the pair and refuses those that were kept waiting.
  void pair_with(int peer, std::vector<PairingMessage>& say);
  void refuse(int peer, std::vector<PairingMessage>& say);
  // If it is free: takes one that was kept waiting, or asks.
  void go_on(std::vector<PairingMessage>& say);
  std::optional<int> next_to_ask();
  bool is_encore(int peer) const { return last_ == peer && !soon_.empty(); }

  int rank_;
  uint64_t seed_;
  std::vector<int> neighbours_; // ascending, those that are there
  // Of its own accord; ascending. None: all neighbours.
  std::optional<std::vector<int>> asks_only_;
  int64_t wanted_ = 0;
  std::optional<int> partner_;
  std::optional<int> asked_; // whose answer it waits for
  std::deque<int> owed_;     // each at most once, at most kMostOwed
  std::deque<int> kept_;
  std::vector<int> refused_; // ascending
  std::vector<int> soon_;    // ascending; some of those
  std::optional<int> last_;  // partner
  int wants_in_pair_ = 0;
  int patience_ = 0;    // with those that have said soon, in wants
  int refusals_ = 0;    // since the last want or pair, of free asks
  bool paying_ = false; // the ask under way was owed
  uint64_t draws_ = 0;  // of chance, so far
  bool stopped_ = false;
};

} // namespace grapevine::gossip
