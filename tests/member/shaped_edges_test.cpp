// Limited links that are made anew while the run goes on, over threads.
#include "net/shaped/shaped_transport.h"

#include "member/fake_network.h"
#include "net/exercise.h"
#include "net/shaped/link_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::LocalGroupFactory;

Deadline late() {
  return Deadline::after(std::chrono::seconds(100));
}

class ShapedEdges : public ::testing::Test {
 protected:
  using Both = std::vector<std::unique_ptr<Transport>>;

  ~ShapedEdges() override { close(table_); }

  // All members of a group, which meet as threads do.
  Both meet(const std::string& name, const std::vector<int>& workers) {
    Both members(workers.size());
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < workers.size(); ++i) {
      threads.emplace_back([&, i] {
        const GroupSpec group{name, workers, static_cast<int>(i)};
        const std::atomic<bool> never = false;
        members[i] = factory_->connect(group, late(), never);
      });
    }
    threads.clear();
    return members;
  }

  static void exercise(Both& members) {
    std::vector<std::jthread> threads;
    for (auto& member : members) {
      threads.emplace_back([&member] {
        try {
          testing::pass_around(*member);
        } catch (const std::exception& error) {
          ADD_FAILURE() << member->rank() << ": " << error.what();
        }
      });
    }
  }

  int table_ = LinkTable::create(
      {.workers = 6, .workers_per_node = 1, .link = parse_link("4gbit,50us")});
  std::shared_ptr<GroupFactory> factory_ =
      std::make_shared<LocalGroupFactory>(std::vector{shape_links(table_)});
};

TEST_F(ShapedEdges, SomeOfTheRunTalk) {
  auto pair = meet("a", {1, 4});
  exercise(pair);
  auto three = meet("b", {0, 3, 5});
  exercise(three);
  exercise(pair); // untouched
}

// What the former link left in the table does not hold up the next.
TEST_F(ShapedEdges, ALinkIsMadeAnew) {
  for (int life = 0; life < 3; ++life) {
    auto pair = meet("life " + std::to_string(life), {2, 5});
    exercise(pair);
    Bytes bytes(1000);
    pair[0]->send(bytes, 1, 1);
    pair[1]->recv(bytes, 0, 2);
    pair[1]->send(bytes, 0, 3);
  }
}

// Whoever still holds the former link cannot disturb the next.
TEST_F(ShapedEdges, TheFormerLinkFails) {
  auto former = meet("a", {2, 5});
  auto next = meet("b", {2, 5});
  Bytes bytes(10);
  for (auto& transport : former) {
    try {
      transport->send(bytes, 1 - transport->rank(), 1);
      FAIL();
    } catch (const TransportError& error) {
      EXPECT_NE(
          std::string(error.what()).find("has been made anew"),
          std::string::npos)
          << error.what();
    }
  }
  exercise(next);
}

} // namespace
} // namespace grapevine::net
