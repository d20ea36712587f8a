// Edges that are made one by one, and made again: the store and the factory
// are what they need of a network.
#pragma once

#include "member/edges.h"
#include "net/key_value_store.h"
#include "net/wrap.h"

#include <memory>
#include <string>
#include <vector>

namespace grapevine::member {

struct LinkedEdgesOptions {
  std::string name;
  int rank = 0;
  int size = 1;
  std::vector<int> neighbours;
  // Of an attempt to connect with a neighbour that wants it too.
  std::chrono::duration<double> connect_seconds{10};
};

std::unique_ptr<Edges> make_linked_edges(
    std::shared_ptr<net::KeyValueStore> store,
    std::shared_ptr<net::GroupFactory> factory,
    LinkedEdgesOptions options);

} // namespace grapevine::member
