// How the workers that still live agree on who they are, at the end of a run.
//
// In rounds, to each of which every living worker comes:
//   1. Come: each notes that it is there, and waits until all have come that
//      may, or its own time is up and none of the missing still makes progress,
//      be it with its gradients or on its way from the round before. Then it
//      proposes the list of those it sees; the first proposal wins (one atomic
//      operation of the store).
//   2. Connect: those on the list make a transport over them.
//   3. Settle: once all of them are connected, one of them says "go". A worker
//      that sees that one of them has died (its next life is there, or the
//      launcher says so) or that has waited for too long says "again", and one
//      that could not connect "apart". The first word counts, for all, and they
//      listen for it while they connect: a worker that went into the next round
//      late, after a time-out of its own, would be left out of it.
// After "again" comes the next round, which leaves out those that have died
// meanwhile. After "apart" each worker finds out which of the others it can be
// connected with, and notes that before it comes to the next round, whose list
// leaves out those that are cut off (who_reach_each_other in attempts.h).
// A worker that comes when the others have gone on without it waits: if one of
// them dies before they are done, they come to another round, and so does it;
// if all of them do, it begins one. Once one says that they are done, no worker
// waits for another any more.
// No worker is special, and one that dies at any point holds up the others for
// their time and no longer.
#pragma once

#include "base/error.h"
#include "member/attempts.h"
#include "member/edges.h"
#include "net/key_value_store.h"
#include "net/wrap.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace grapevine::member {

class FinalRendezvous {
 public:
  struct Self {
    int rank = 0;
    int size = 1;
    int64_t life = 1;
  };

  // Both must outlive this. Its destructor waits for connections that were
  // being made in rounds that came to nothing, for the rest of their time.
  FinalRendezvous(
      net::KeyValueStore& store,
      net::GroupFactory& factory,
      Self self)
      : store_(store),
        factory_(factory),
        self_(self) {}

  // Whether any worker has come; false if the store is out of reach.
  bool has_begun() const;

  // See Edges::gather. Each wait of a round has the time that is left until
  // the deadline at the call. May be called again, by those whose work together
  // has failed.
  Gathering gather(Deadline deadline);
  // See Edges::conclude and is_concluded.
  std::optional<bool> conclude();
  bool is_concluded() const;

 private:
  struct Member {
    int rank = 0;
    int64_t life = 0;
    bool operator==(const Member&) const = default;
  };
  using Members = std::vector<Member>;

  static std::string format(const Members& members);
  static Members parse(const std::string& text);

  static bool has(const Members& members, int rank);

  static std::string key(int round, const std::string& what);
  std::string key(const std::string& what) const; // of this round
  bool has_begun(int round) const;
  void come();
  Members agree(std::chrono::milliseconds window);
  // What the missing workers that may still come say of their progress.
  std::map<int, std::string> progress_of_the_absent() const;
  Members present() const;
  // Returns those who can all be connected, as far as they found out when they
  // last tried.
  Members connectable(const Members& members) const;
  // Nothing if it has not tried.
  std::optional<std::set<int>> last_reached(const Member& member) const;
  void find_whom_it_reaches(Deadline deadline);
  // Shows the others that this worker is on its way to the next round; may be
  // called often.
  void show_life();
  // Whether all are there who may still come.
  bool is_complete(const Members& members) const;
  std::unique_ptr<Attempt> connect(const Members& members, Deadline deadline);
  // Returns "go", and then the attempt has succeeded, "again" or "apart".
  std::string settle(Attempt& attempt, Deadline deadline);
  // As far as the store knows.
  bool is_alive(const Member& member) const;
  bool are_alive(const Members& members) const;
  std::string await_outcome(Deadline deadline);
  // Waits for those who went on without this worker to come to another round,
  // or, if none of them is left, for those who have come back. Returns false if
  // they are done, or the time is up.
  bool await_next_round(const Members& members, Deadline deadline);
  TransportError too_late() const;

  net::KeyValueStore& store_;
  net::GroupFactory& factory_;
  Self self_;
  int round_ = 0;
  Members members_;   // of the last round that this worker was in
  int fruitless_ = 0; // rounds in a row that had the same members
  Deadline next_beat_ = Deadline::after(std::chrono::seconds(0));
  int64_t beats_ = 0;
  // Of rounds that were given up; they end by themselves, at their deadline.
  std::vector<std::unique_ptr<ReachProbe>> probes_;
  std::vector<std::unique_ptr<Attempt>> abandoned_;
};

} // namespace grapevine::member
