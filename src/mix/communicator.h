// One worker's end of all that is sent between workers: a link, with what
// mixings and exchanges of planes need on top of it (collectives of small
// things are in mix/collectives.h).
//
// An exchange is moved by the executor that fits its plan:
//
//   one sum over a few neighbours' values    mix/inbox_executor.h
//   anything else                            mix/mix_executor.h
//
// Near peers read each other's outboxes (mix/windows.h), which are there from
// the first exchange on.
//
// Every wait has the deadline of the options. The first error wins and stays:
// later calls throw it again. Errors keep their type (TimeoutError,
// TransportError), name the peer, the operation and the step, and carry the
// last operations from the flight recorder.
//
// One thread at a time. Nothing is allocated once a plan has been seen with a
// plane of that size and cut (the last kRememberedPlans are remembered).
#pragma once

#include "base/aligned.h"
#include "base/lru_cache.h"
#include "mix/inbox_executor.h"
#include "mix/link.h"
#include "mix/mix_executor.h"
#include "mix/plan.h"
#include "mix/windows.h"

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace grapevine::mix {

class InlineExchange;
class ThreadExchange;
struct ExchangeSpec;

struct CommunicatorOptions {
  // How long any single wait may take.
  std::chrono::duration<double> deadline{300};
  // Planes travel in pieces of this size, so that computing a piece overlaps
  // with moving the ones before it. Changes times, never results.
  // A plan may want other chunks (Plan::chunk_bytes). Less than 4096 is taken
  // for 4096.
  int64_t chunk_bytes = 1 << 20;
  // Of this machine, for all of its workers; 0 = as many as there are.
  int cores = 0;
};

// Memory that mixings and exchanges of one worker work in, one at a time.
struct Workspace {
  AlignedFloats scratch;
  // Planes that stay where they are, since somebody may be reading.
  std::list<AlignedFloats> inboxes;
  std::vector<float*> inbox_pointers;
};

// The workspace is a base before the link, which it outlives: operations that a
// link has not finished may still point there.
class Communicator : private Workspace, public Link {
 public:
  Communicator(
      std::unique_ptr<net::Transport> transport,
      CommunicatorOptions options);

  // Runs the plan over a plane, which is replaced by the result. `plan` must
  // be the same on all workers. Returns what this worker sent.
  Traffic mix(const Plan& plan, std::span<float> plane);
  // The mean over all workers, in rank order; the same bits everywhere.
  Traffic all_reduce_mean(std::span<float> values);

  // Runs an exchange to its end, at the pace at which its owner releases it
  // from another thread. Out of place, its terms stay valid until the chunk is
  // written again: by the next exchange but one, or by the next once that chunk
  // is released.
  void move(ThreadExchange& exchange);
  // Opens an exchange that the caller is to move itself. False, and nothing has
  // happened, if a thread is to run it: it has a peer that is not near (nobody
  // is known to be before the first `move`), or there are cores for such
  // threads. Before one in place is opened, those before it are finished.
  bool open(InlineExchange& exchange, const ExchangeSpec& spec);

 private:
  struct Key {
    uint64_t plan;
    uint64_t cut;
    bool in_place;
    auto operator<=>(const Key&) const = default;
  };
  struct MixKey {
    uint64_t plan;
    int64_t count;
    auto operator<=>(const MixKey&) const = default;
  };
  using Executor = std::variant<MixExecutor, InboxExecutor>;

  Executor& prepare(const ExchangeSpec& spec);
  Executor make_executor(const ExchangeSpec& spec);
  std::vector<int> near_peers(const Plan& plan, const Program& program) const;
  // The exchange is the windows' newest.
  void move(MixExecutor& executor, ThreadExchange& exchange);
  void move(InboxExecutor& executor, ThreadExchange& exchange);
  bool has_windows(int64_t floats) const;
  void need_windows(int64_t floats);
  void need_scratch(int64_t floats);
  void need_inboxes(int count);
  bool cores_are_short() const;

  CommunicatorOptions options_;
  std::shared_ptr<const Plan> all_reduce_;
  LruCache<MixKey, MixExecutor> mixes_{kRememberedPlans};
  LruCache<Key, Executor> prepared_{kRememberedPlans};
  std::unique_ptr<Windows> windows_; // from the first exchange on
};

} // namespace grapevine::mix
