// How one worker's exchanges are moved, one at a time: by whom (a thread that
// talks, or their owner's own hand) and by which executor, into which memory.
//
//   plan, place                         moved by
//   one sum over a few neighbours       mix/inbox_executor.h
//   the same, all near, and no core
//     for a second thread               mix/near_exchange.h
//   anything else                       mix/mix_executor.h
//
// Near peers read each other's outboxes (mix/windows.h), which are there from
// the first exchange on. One thread at a time. Once a plan has been seen with a
// cut, and as long as it is remembered, nothing is allocated.
#pragma once

#include "base/lru_cache.h"
#include "mix/chunks.h"
#include "mix/exchange.h"
#include "mix/inbox_executor.h"
#include "mix/link.h"
#include "mix/mix_executor.h"
#include "mix/near_exchange.h"
#include "mix/traffic.h"
#include "mix/windows.h"
#include "mix/workspace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace grapevine::mix {

class Exchanger {
 public:
  // cores: of this machine, for all of its workers. The others outlive this.
  Exchanger(Link& link, Workspace& workspace, int cores)
      : link_(link),
        workspace_(workspace),
        cores_(cores) {}

  // Inside Link::run. Returns what was sent.
  Traffic run(Exchange& exchange);
  // See Communicator::open_near.
  NearExchange* open_near(const ExchangeSpec& request);
  double near_seconds() const;

 private:
  struct Key {
    uint64_t plan;
    uint64_t cut;
    bool in_place;
    auto operator<=>(const Key&) const = default;
  };
  using Executor = std::variant<MixExecutor, InboxExecutor>;

  Executor& prepare(const ExchangeSpec& request);
  Executor make_executor(const ExchangeSpec& request);
  std::vector<int> near_peers(const Plan& plan, const Program& program) const;
  // The exchange is the windows' newest.
  void run(MixExecutor& executor, Exchange& exchange, ChunkEvents& events);
  void run(InboxExecutor& executor, Exchange& exchange, ChunkEvents& events);
  bool has_windows(int64_t floats) const;
  void need_windows(int64_t floats);
  void need_inboxes(int count);
  bool cores_are_short() const;

  Link& link_;
  Workspace& workspace_;
  int cores_;
  LruCache<Key, Executor> prepared_{kRememberedPlans};
  std::unique_ptr<Windows> windows_; // from the first exchange on
  std::array<NearExchange, 2> near_; // which are opened in turn
  size_t next_near_ = 0;
};

} // namespace grapevine::mix
