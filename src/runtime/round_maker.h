// Makes the rounds of an exchange from their messages. Internal to this layer.
#pragma once

#include "runtime/exchange.h"

#include <map>
#include <vector>

namespace grapevine::runtime {

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
  void keep(
      std::vector<Exchange::Part> parts,
      std::vector<std::vector<int>> peers);
  int set_of(std::vector<int> members);

  const Network& network_;
  Exchange& exchange_;
  std::map<std::vector<int>, int> sets_;
};

} // namespace grapevine::runtime
