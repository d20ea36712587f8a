// Makes the rounds of an exchange from their messages. Internal to this layer.
#pragma once

#include "sim/exchange.h"

#include <map>
#include <vector>

namespace grapevine::sim {

struct Message {
  int from;
  int to;
  double share; // of the plane
};

class RoundMaker {
 public:
  // Borrows both; adds rounds and sets to the exchange.
  RoundMaker(const Network& network, Exchange& exchange)
      : network_(network),
        exchange_(exchange) {}

  // The next round.
  void add(const std::vector<Message>& messages);

 private:
  // What one worker's messages of a round amount to.
  struct Traffic {
    Exchange::Part part = {.is_inside = true};
    std::vector<int> peers = {};
    double longest = -1;           // seconds of a message
    std::vector<int> slowest = {}; // the peers whose messages take that long
  };
  void keep(std::vector<Traffic> workers);
  // The worker with its peers, in any order, some perhaps twice.
  int set_of(int worker, std::vector<int> members);

  const Network& network_;
  Exchange& exchange_;
  std::map<std::vector<int>, int> sets_;
};

} // namespace grapevine::sim
