// Packed messages over threads: the whole sweep of the contract, also over
// limited links; what goes over the wire; and workers that do not agree.
#include "net/packed/packed_transport.h"
#include "base/check.h"
#include "base/random.h"
#include "net/exercise.h"
#include "net/forwarding_transport.h"
#include "net/on_threads.h"
#include "net/shaped/link_table.h"
#include "net/shaped/shaped_transport.h"
#include "net/transports.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::on_threads;
using testing::Transports;

Deadline late() {
  return Deadline::after(std::chrono::seconds(100));
}

// Below and above what is packed, a piece and more, and no whole floats.
constexpr size_t kLengths[] =
    {0, 1000, kLeastPacked, (1 << 20) + 400, (1 << 20) + 1};

class PackedSweep : public ::testing::TestWithParam<int> {};

TEST_P(PackedSweep, MovesEveryByte) {
  Transports transports = make_local_transports(GetParam());
  for (auto& transport : transports)
    transport = wrap(std::move(transport), {pack_messages()}, late());
  on_threads(transports, [](Transport& transport) {
    testing::Exercise(transport).run(kLengths);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    PackedSweep,
    ::testing::ValuesIn(testing::kRanks));

TEST(PackedTransport, MovesEveryByteOverLimitedLinks) {
  const int table = LinkTable::create({3, 1, parse_link("4gbit,50us")});
  Transports transports = make_local_transports(3);
  for (auto& transport : transports)
    transport = wrap(
        std::move(transport),
        {shape_links(table), pack_messages()},
        late());
  on_threads(transports, [](Transport& transport) {
    testing::Exercise(transport).run(kLengths);
  });
  close(table);
}

// Counts what is sent.
class Counter : public testing::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  Request send(std::span<const std::byte> bytes, int peer, Tag tag) override {
    bytes_ += bytes.size();
    ++messages_;
    return ForwardingTransport::send(bytes, peer, tag);
  }
  size_t bytes() const { return bytes_; }
  int messages() const { return messages_; }

 private:
  size_t bytes_ = 0;
  int messages_ = 0;
};

class PackedPair : public ::testing::Test {
 protected:
  PackedPair() {
    Transports inner = make_local_transports(2);
    auto counter = std::make_unique<Counter>(std::move(inner[0]));
    counter_ = counter.get();
    first_ = wrap(std::move(counter), {pack_messages()}, late());
    second_ = wrap(std::move(inner[1]), {pack_messages()}, late());
  }

  Bytes pass(const Bytes& out) {
    Bytes in(out.size());
    const Request received = second_->recv(in, 0, 1);
    const Request sent = first_->send(out, 1, 1);
    second_->wait(received, late());
    first_->wait(sent, late());
    return in;
  }

  Counter* counter_;
  std::unique_ptr<Transport> first_;
  std::unique_ptr<Transport> second_;
};

Bytes normal_floats(size_t count) {
  Random random(3, Purpose::kTest);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(0.05 * random.normal());
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

TEST_F(PackedPair, WeightsTakeWhatPlansAssume) {
  const Bytes weights = normal_floats(3 << 20);
  EXPECT_EQ(pass(weights), weights);
  const double share = static_cast<double>(counter_->bytes()) /
                       static_cast<double>(weights.size());
  EXPECT_NEAR(share, kTypicallyPacked, 0.002);
  EXPECT_EQ(counter_->messages(), 12);
}

TEST_F(PackedPair, ShortMessagesGoAsTheyAre) {
  const Bytes weights = normal_floats(kLeastPacked / sizeof(float) - 1);
  EXPECT_EQ(pass(weights), weights);
  EXPECT_EQ(counter_->bytes(), weights.size());
}

TEST_F(PackedPair, WhatHasNoOrderHardlyGrows) {
  const Bytes bytes = testing::make_bytes(0, 1, 0, (5 << 20) + 4);
  EXPECT_EQ(pass(bytes), bytes);
  EXPECT_LT(counter_->bytes(), bytes.size() + bytes.size() / 256);
}

TEST_F(PackedPair, WhatAreNoFloatsByItsLengthGoesAsItIs) {
  const Bytes bytes = testing::make_bytes(0, 1, 0, (5 << 20) + 3);
  EXPECT_EQ(pass(bytes), bytes);
  EXPECT_EQ(counter_->bytes(), bytes.size());
}

TEST_F(PackedPair, HasNoReceivesOfItsOwnForShorterOnes) {
  Bytes room(100);
  EXPECT_THROW(first_->recv_at_most(room, 1, 0), CheckFailure);
}

TEST_F(PackedPair, GoesOnAfterACallersMistake) {
  const Bytes weights = normal_floats(100000);
  EXPECT_THROW(first_->send(weights, 0, 0), CheckFailure);
  EXPECT_EQ(pass(weights), weights);
}

TEST(PackedTransport, SaysThatAnotherDoesNotPack) {
  Transports transports = make_local_transports(2);
  transports[0] = wrap(std::move(transports[0]), {pack_messages()}, late());
  const Bytes zeros(kLeastPacked);
  Bytes in(kLeastPacked);
  const Request received = transports[0]->recv(in, 1, 0);
  transports[1]->send(zeros, 0, 0);
  try {
    transports[0]->wait(received, late());
    FAIL() << "nothing was thrown";
  } catch (const TransportError& error) {
    EXPECT_NE(
        std::string(error.what()).find("do all of them pack?"),
        std::string::npos)
        << error.what();
  }
  // It is broken for good, and the peer hears of it.
  EXPECT_THROW(transports[0]->send(zeros, 1, 0), TransportError);
  EXPECT_THROW(
      transports[1]->wait(transports[1]->recv(in, 0, 0), late()),
      TransportError);
}

TEST(PackedTransport, IsNotForMpi) {
  EXPECT_THROW(
      make_transport("mpi", {}, {.deadline = {}, .packs = true}),
      ConfigError);
}

} // namespace
} // namespace grapevine::net
