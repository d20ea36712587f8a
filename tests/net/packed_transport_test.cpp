// Packed messages over threads: what goes over the wire, and workers that do
// not agree. The sweep of the contract is in contract_test.
#include "base/check.h"
#include "base/random.h"
#include "net/exercise.h"
#include "net/on_threads.h"
#include "net/transports.h"
#include "net/wraps.h"

#include <gtest/gtest.h>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::Transports;

Deadline late() {
  return Deadline::after(std::chrono::seconds(100));
}

class PackedPair : public ::testing::Test {
 protected:
  PackedPair() {
    Transports inner = make_local_transports(2);
    first_ = wrap(
        std::move(inner[0]),
        {count_messages(counts_), pack_messages()},
        late());
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

  MessageCounts counts_;
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
  const double share =
      static_cast<double>(counts_.bytes) / static_cast<double>(weights.size());
  EXPECT_NEAR(share, kTypicallyPacked, 0.002);
  EXPECT_EQ(counts_.sends, 12);
}

TEST_F(PackedPair, ShortMessagesGoAsTheyAre) {
  const Bytes weights = normal_floats(kLeastPacked / sizeof(float) - 1);
  EXPECT_EQ(pass(weights), weights);
  EXPECT_EQ(static_cast<size_t>(counts_.bytes), weights.size());
}

TEST_F(PackedPair, WhatHasNoOrderHardlyGrows) {
  const Bytes bytes = testing::make_bytes(0, 1, 0, (5 << 20) + 4);
  EXPECT_EQ(pass(bytes), bytes);
  EXPECT_LT(
      static_cast<size_t>(counts_.bytes),
      bytes.size() + bytes.size() / 256);
}

TEST_F(PackedPair, WhatAreNoFloatsByItsLengthGoesAsItIs) {
  const Bytes bytes = testing::make_bytes(0, 1, 0, (5 << 20) + 3);
  EXPECT_EQ(pass(bytes), bytes);
  EXPECT_EQ(static_cast<size_t>(counts_.bytes), bytes.size());
}

TEST_F(PackedPair, HasNoReceivesOfItsOwnForShorterOnes) {
  Bytes room(100);
  EXPECT_THROW(first_->recv_at_most(room, 1, 0), CheckFailure);
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
