// How two neighbours agree on a link without meeting: by notes in the store,
// which each writes and the other reads when it gets to it.
//
//   lower rank a:   offer (life of a, n)       n grows with every new offer
//   higher rank b:  takes (life of a, n)       dropped or not
//
// a offers a link from the start, and again, under the next number, whenever
// the last one has come to nothing or was lost. b takes each new offer once,
// and says so; then it waits for a to connect. a connects when it reads that
// its offer was taken, by which life of b. A b that loses the link, or that
// cannot connect, notes that it has dropped what it took, which makes a offer
// again. A new offer tells b that the former link is no more; a new life of b
// tells a the same.
//
// The link's name holds (a, b, life of a, n, life of b), so that only those
// two lives, and only for this offer, ever meet. One side alone decides when
// there is another try, so the two cannot miss each other for ever: whatever
// was lost, killed or stopped, in the end a offers and b takes.
//
// Pure: no thread, no clock, no store. A life is the number of the process
// among those that this worker has had, from 1.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace grapevine::member {

// What a worker's note says of one edge.
struct EdgeNote {
  int64_t life = 0;  // of the lower one
  int64_t offer = 0; // its number; 0: none
  bool dropped = false;
  bool operator==(const EdgeNote&) const = default;
};

// All notes of a worker, as they stand in the store.
struct WorkerNote {
  int64_t life = 0; // 0: has not come yet
  std::map<int, EdgeNote> edges;
};
std::string format_note(const WorkerNote& note);
// Parses the note of the life that is known already. A text that is no note is
// an empty one.
WorkerNote parse_note(int64_t life, const std::string& text);

class Handshake {
 public:
  Handshake(int me, int64_t life, int peer);

  enum class Phase { kApart, kConnecting, kLinked };
  Phase phase() const { return phase_; }
  const EdgeNote& note() const { return note_; }
  // The life of the peer that the present link is with.
  int64_t peer_life() const { return peer_life_; }
  // "edge/3-7/2.5.1": ranks, life of the lower, offer, life of the higher.
  std::string link_name() const;

  // What to do after reading the peer's note.
  struct Step {
    bool cancel = false; // the attempt in progress; it will fail or succeed
    bool close = false;  // the link; for this reason
    std::string why;
    bool connect = false; // begin an attempt under link_name()
  };
  Step read(const WorkerNote& peer);

  // The attempt has succeeded; returns whether the link is still wanted.
  bool connected();
  // The attempt has failed, or was cancelled.
  void failed();
  // The link is lost, as this side has found out.
  void lost();

 private:
  Step read_as_lower(const WorkerNote& peer, const EdgeNote& note);
  Step read_as_higher(const WorkerNote& peer, const EdgeNote& note);
  // The link or attempt is no more: the note says so.
  void part();
  Step give_up(const std::string& why);

  int me_;
  int64_t life_;
  int peer_;
  bool is_lower_;
  Phase phase_ = Phase::kApart;
  bool cancelled_ = false;
  EdgeNote note_;
  int64_t peer_life_ = 0;
};

} // namespace grapevine::member
