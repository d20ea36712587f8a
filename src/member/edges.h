// The links of one worker to its neighbours in a run whose workers may be lost
// and come back.
//
// Asynchronous training talks to one neighbour at a time and must outlive the
// others, so it does not hold one transport of all workers but an edge to each
// neighbour. Where the transport allows it (Gloo), an edge is a connection of
// its own: what breaks on it breaks there alone, and it is made again when the
// neighbour returns. Where it does not (local, MPI), all edges are views of one
// transport, and the loss of one is the end of all.
//
// One thread at a time may call these, and it is the thread that uses the
// edges' transports. What the implementation does in the background (meeting
// neighbours, asking the store) is its own business and touches no transport
// that has been handed out.
#pragma once

#include "base/deadline.h"
#include "net/launch_environment.h"
#include "net/transport.h"
#include "net/transports.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::member {

// A transport and the peer's rank *in that transport*. Several edges may share
// one transport, and then its tags.
struct Edge {
  net::Transport* transport = nullptr; // not owned; null: not linked now
  int peer = -1;
  bool linked() const { return transport != nullptr; }
};

// What has become of a neighbour.
struct EdgeChange {
  int rank = -1;
  // True: linked, for the first time or again. Whatever was in flight on the
  // former edge is over. False: gone.
  bool linked = false;
  // Why it is gone; of a link, which life of the neighbour this is, as in
  // "life 2". For records and messages.
  std::string why;
};

// Those who have come to the end of a run.
struct Gathering {
  std::vector<int> members; // ranks in the run, ascending
  // Over the members: rank i of it is members[i].
  std::unique_ptr<net::Transport> transport;
};

class Edges {
 public:
  using Edge = member::Edge;
  using Change = EdgeChange;
  using Gathering = member::Gathering;

  virtual ~Edges() = default;

  // Of this worker in the run, the number of its workers, and the name of the
  // transport.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string name() const = 0;

  // The edge to a neighbour (another rank is a bug: CheckFailure). It stays as
  // it is until lose(rank), a change for this rank, or gather.
  virtual Edge edge(int rank) = 0;

  // What has changed since the last call, in the order in which it happened. A
  // neighbour that the caller itself has lost is not reported as gone. A
  // neighbour that comes back before its loss was noticed is reported as gone
  // first and then as linked, in the same call. The former transport is
  // destroyed in the call, so that nothing touches the bytes of its operations
  // when it returns. Never waits for a peer.
  virtual std::vector<EdgeChange> changes() = 0;

  // The caller has met an error or a time-out on the edge. It is closed:
  // nothing touches the bytes of its operations when this returns (over MPI
  // they must stay allocated until the process ends). The peer meets an error
  // on its side soon. The edge is linked again when both sides want it: see
  // make_gloo_edges.
  virtual void lose(int rank, const std::string& why) = 0;

  // Whether a lost worker can be done without; else the run has to end.
  virtual bool survives_loss() const = 0;

  // Workers of the run, neighbours or not, that are known to have ended for
  // good, ascending. Never waits.
  virtual std::vector<int> ended() = 0;

  // How many gradients this worker has computed: those who have gathered
  // already wait for whoever goes on, though they cannot tell it that they are
  // there. Never waits; may be called often.
  virtual void show_progress(int64_t gradients) = 0;

  // Whether others have come to the gathering that this worker has not been
  // told of, since it has no neighbour left. Asks where they meet, so it is
  // for once a second; false where that is out of reach.
  virtual bool is_gathering() = 0;

  // The end of the run, called by every worker that lives. All edges are closed
  // at once, so that neighbours that still go on notice; nothing but rank,
  // size, name, gather and those below may be called afterwards. Waits for
  // those who come within `deadline` of the first, for more where others still
  // show progress, or for less where all have come who are not known to have
  // ended; agrees with them on who they are, the same list for all, and
  // connects them. Nobody is special: any worker may be missing, or die on the
  // way, which costs another round among the rest. Called again, by all whose
  // work over the gathering has failed, it gathers those that are left (not
  // with fixed edges).
  //
  // Throws TransportError where the others have gone on without this worker
  // (it came late) and do not gather again, where one has concluded, or where
  // nothing can be agreed on (the store is gone).
  virtual Gathering gather(Deadline deadline) = 0;

  // What all have gathered for is done: whoever comes from now on, or has come
  // to gather again, is too late, and need not wait to find that out. May be
  // said by several, and again. True for the worker (and that life of it) that
  // was the first, who is to tell the world; nothing where that cannot be
  // known.
  virtual std::optional<bool> conclude() = 0;
  // Whether one is known to have concluded.
  virtual bool is_concluded() = 0;
};

// All edges over one transport of all workers (local, MPI). Every neighbour is
// linked from the start; to lose one is to lose all, for good. gather hands
// out the transport itself, with whatever is in flight on it: the callers have
// finished it, or use other tags from then on.
std::unique_ptr<Edges> make_fixed_edges(
    std::unique_ptr<net::Transport> transport,
    std::vector<int> neighbours);

// Gloo: a two-rank process group an edge, so that a failure closes that edge
// alone. Returns at once, with nobody linked: neighbours are linked as they
// come, found through the store that the environment names, and linked again
// when they return as a new process, or when both sides of a lost edge go on.
//
// The store outlives any worker where somebody else serves it (grapevine
// launch, torchrun's agent, a file); where rank 0 does, rank 0 may not die.
// A store that is out of reach is a TransportError here; later it only means
// that nothing is linked anew until it is found again. The deadline is for
// reaching the store, and bounds an attempt to connect (10 s at most).
//
// Costs: a thread that looks at the store five times a second (one number), a
// thread for all connections, an idle thread an edge, and a thread for each
// operation that is tested rather than waited for (its slot keeps it). An edge
// to a worker of the same machine goes through shared memory
// (net/near_transport.cpp): 1 MB for each direction, and no such threads.
std::unique_ptr<Edges> make_gloo_edges(
    const net::LaunchEnvironment& environment,
    std::vector<int> neighbours,
    const net::TransportOptions& options);

// Returns the edges of the transport of this name: its own if it survives
// losses, else fixed ones. Throws as make_transport does.
std::unique_ptr<Edges> make_edges(
    const std::string& name,
    const net::LaunchEnvironment& environment,
    std::vector<int> neighbours,
    const net::TransportOptions& options);

} // namespace grapevine::member
