#include "sim/exchange.h"

#include "base/check.h"
#include "sim/round_maker.h"

#include <algorithm>

namespace grapevine::sim {

Exchange
plan_exchange(const mix::Plan& plan, const Network& network, bool in_place) {
  GV_CHECK_EQ(plan.n(), network.n());
  Exchange exchange;
  exchange.n = plan.n();
  std::vector<std::vector<Message>> messages; // by round
  std::vector<int> due;                       // by round, the latest
  for (int rank = 0; rank < exchange.n; ++rank) {
    const mix::Program program = plan.program(rank);
    exchange.last.push_back(completion_round(program));
    messages.resize(
        std::max(messages.size(), static_cast<size_t>(program.rounds())));
    due.resize(messages.size());
    int seen = -1; // sends of one round leave alike
    for (const mix::Send& send : program.sends) {
      messages[send.round].push_back({rank, send.peer, 1.0 / send.piece.of});
      if (send.round == 0 || send.round == seen) continue;
      seen = send.round;
      due[seen] = std::max(due[seen], posting_round(program, send));
    }
  }
  for (int round = 0; round < static_cast<int>(due.size()); ++round)
    exchange.ahead.push_back(round - due[round]);
  if (!messages.empty()) {
    const bool keeps_more = !in_place && messages.size() == 1;
    exchange.ahead[0] = mix::kPostAhead + (keeps_more ? 1 : 0);
  }
  RoundMaker rounds(network, exchange);
  for (auto& round : messages) {
    rounds.add(round);
    round = {};
  }
  return exchange;
}

} // namespace grapevine::sim
