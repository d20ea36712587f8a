// How one worker's exchanges are moved, one at a time: by whom (a thread that
// talks, or their owner's own hand) and by which executor, into which memory.
//
//   plan, place                         moved by
//   one sum over a few neighbours       comm/inbox_executor.h
//   the same in place, all near,
//     and no core for a second thread   comm/near_exchange.h
//   anything else                       comm/mix_executor.h
//
// Near peers read each other's outboxes (comm/windows.h), which are there from
// the first exchange on. One thread at a time. Once a plan has been seen with a
// cut (the last kRemembered are remembered), nothing is allocated.
#pragma once

#include "comm/chunks.h"
#include "comm/exchange.h"
#include "comm/inbox_executor.h"
#include "comm/link.h"
#include "comm/mix_executor.h"
#include "comm/near_exchange.h"
#include "comm/traffic.h"
#include "comm/windows.h"
#include "comm/workspace.h"

#include <cstdint>
#include <list>
#include <memory>
#include <variant>
#include <vector>

namespace grapevine::comm {

class Exchanger {
 public:
  static constexpr size_t kRemembered = 64;

  // cores: of this machine, for all of its workers. The others outlive this.
  Exchanger(Link& link, Workspace& workspace, int cores)
      : link_(link),
        workspace_(workspace),
        cores_(cores) {}

  // Inside Link::run. Returns what was sent.
  Traffic run(Exchange& exchange);
  // See Communicator::open_near.
  NearExchange* open_near(const ExchangeRequest& request);
  double near_seconds() const { return near_.busy_seconds(); }

 private:
  struct Prepared {
    uint64_t plan;
    uint64_t cut;
    bool in_place;
    std::variant<MixExecutor, InboxExecutor> executor;
  };

  Prepared& prepare(const ExchangeRequest& request);
  std::vector<int> near_peers(const Plan& plan, const Program& program) const;
  void run(MixExecutor& executor, Exchange& exchange, ChunkEvents& events);
  void run(InboxExecutor& executor, Exchange& exchange, ChunkEvents& events);
  bool has_windows(int64_t floats) const;
  void need_windows(int64_t floats);
  void need_inboxes(int count);
  bool cores_are_short() const;

  Link& link_;
  Workspace& workspace_;
  int cores_;
  std::list<Prepared> prepared_;
  std::unique_ptr<Windows> windows_; // from the first exchange on
  NearExchange near_;
};

} // namespace grapevine::comm
