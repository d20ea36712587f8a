// How one worker's exchanges are moved, one at a time: by whom (a thread that
// talks, or their owner's own hand) and by which executor, into which memory.
//
//   plan, place                         moved by
//   one sum over a few neighbours       comm/inbox_executor.h
//   the same, all near, and no core
//     for a second thread               comm/near_exchange.h
//   anything else                       comm/mix_executor.h
//
// Near peers read each other's outboxes (comm/windows.h), which are there from
// the first exchange on. One thread at a time. Once a plan has been seen with a
// cut, and as long as it is remembered, nothing is allocated.
#pragma once

#include "base/lru_cache.h"
#include "comm/chunks.h"
#include "comm/exchange.h"
#include "comm/inbox_executor.h"
#include "comm/link.h"
#include "comm/mix_executor.h"
#include "comm/near_exchange.h"
#include "comm/traffic.h"
#include "comm/windows.h"
#include "comm/workspace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace grapevine::comm {

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
  NearExchange* open_near(const ExchangeRequest& request);
  double near_seconds() const;

 private:
  struct Key {
    uint64_t plan;
    uint64_t cut;
    bool in_place;
    auto operator<=>(const Key&) const = default;
  };
  using Executor = std::variant<MixExecutor, InboxExecutor>;

  Executor& prepare(const ExchangeRequest& request);
  Executor make_executor(const ExchangeRequest& request);
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

} // namespace grapevine::comm
