// What happens when a worker does not answer, is gone, or differs.
#include "mix/cluster.h"
#include "mix/find_nodes.h"
#include "mix/fingerprint.h"
#include "mix/link.h"
#include "mix/plan_support.h"
#include "net/wrap.h"

#include <gtest/gtest.h>

#include <regex>

namespace grapevine::mix {
namespace {

using testing::run_workers;
using ::testing::Test;

CommunicatorOptions impatient() {
  return {.deadline = std::chrono::milliseconds(100), .chunk_bytes = 4096};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The message of the Error that body throws.
template <typename Error, typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no such exception";
  return "";
}

TEST(Failure, ATimeoutNamesPeerOperationAndStepAndStays) {
  auto transports = net::make_local_transports(2);
  Communicator worker(std::move(transports[0]), impatient());
  const auto plan = make_plan(graph::Mixing::groups(2, {{0, 1}}), 4000);
  std::vector<float> plane(1000, 1.0f);
  worker.set_step(12);
  const auto mix = [&] { worker.mix(*plan, plane); };
  const std::string message = message_of<TimeoutError>(mix);
  // The deadline, and what a busy machine makes of it.
  std::smatch waited;
  const std::regex wait(R"(\[mix\] step 12: waited (\d+\.\d) s for worker 1)");
  ASSERT_TRUE(std::regex_search(message, waited, wait)) << message;
  EXPECT_GE(std::stod(waited[1]), 0.1) << message;
  EXPECT_TRUE(contains(message, "(recv, 4000 bytes)")) << message;
  EXPECT_TRUE(contains(message, "last operations of worker 0")) << message;
  EXPECT_TRUE(contains(message, "send to worker 1, 4000 bytes")) << message;
  EXPECT_EQ(plane, std::vector<float>(1000, 1.0f));

  worker.set_step(13);
  EXPECT_EQ(message_of<TimeoutError>(mix), message);
  EXPECT_EQ(message_of<TimeoutError>([&] { barrier(worker); }), message);
}

TEST(Failure, EveryOperationIsBounded) {
  using Body = std::function<void(Communicator&)>;
  const std::vector<std::pair<std::string, Body>> operations{
      {"barrier", [](Communicator& w) { barrier(w); }},
      {"any", [](Communicator& w) { any(w, false); }},
      {"gather", [](Communicator& w) { gather(w, std::string("x"), 0); }},
      {"all-gather", [](Communicator& w) { all_gather(w, "x"); }},
      {"broadcast", [](Communicator& w) { broadcast(w, std::string("x"), 1); }},
      {"exchange",
       [](Communicator& w) {
         std::vector<float> out(5000), in(5000);
         exchange(w, 1, out, in);
       }},
      {"mix", [](Communicator& w) {
         std::vector<float> values(5000);
         w.all_reduce_mean(values);
       }}};
  for (const auto& [name, body] : operations) {
    auto transports = net::make_local_transports(2);
    Communicator worker(std::move(transports[0]), impatient());
    const std::string message = message_of<TimeoutError>([&] { body(worker); });
    EXPECT_TRUE(contains(message, "[" + name + "] step -1")) << message;
    EXPECT_TRUE(contains(message, "worker 1")) << message;
  }
}

TEST(Failure, APeerThatIsGoneIsATransportError) {
  auto transports = net::make_local_transports(2);
  transports[1].reset();
  Communicator worker(std::move(transports[0]), testing::options_with(4096));
  const std::string message =
      message_of<TransportError>([&] { barrier(worker); });
  EXPECT_TRUE(contains(message, "[barrier] step -1")) << message;
  EXPECT_TRUE(contains(message, "worker 1")) << message;
}

TEST(Failure, AnyExceptionAmidAnOperationStays) {
  auto transports = net::make_local_transports(2);
  Link link(std::move(transports[0]), std::chrono::milliseconds(100));
  EXPECT_THROW(link.run("mix", [] { throw ConfigError("no"); }), ConfigError);
  bool runs = false;
  EXPECT_THROW(link.run("barrier", [&] { runs = true; }), ConfigError);
  EXPECT_FALSE(runs);
}

// Worker 1 sends bytes that are none of what worker 0 expects.
TEST(Failure, MalformedBytesAreATransportError) {
  const std::vector<std::function<void(Communicator&)>> readers{
      [](Communicator& w) {
        compare_fingerprints(w, {{"a", "b"}});
      },
      [](Communicator& w) { find_workers_per_node(w, {}); },
      [](Communicator& w) {
        const std::vector<double> mine{1, 2};
        all_gather(w, std::span(mine));
      }};
  // Too short, of a length that is no multiple of a number's, with lengths
  // beyond the end.
  for (const std::string& bytes :
       {std::string("abc"), std::string(13, '\0'), std::string(20, '\xff')}) {
    for (const auto& read : readers) {
      run_workers(2, testing::options_with(4096), [&](Communicator& worker) {
        if (worker.rank() == 1) {
          all_gather(worker, bytes);
        } else {
          EXPECT_THROW(read(worker), TransportError);
        }
      });
    }
  }
}

TEST(Failure, AnAbsurdLengthIsATransportError) {
  run_workers(2, testing::options_with(4096), [&](Communicator& worker) {
    uint64_t length = ~uint64_t{0};
    if (worker.rank() == 0) {
      EXPECT_THROW(gather(worker, std::string("x"), 0), TransportError);
      return;
    }
    worker.run("test", [&] {
      const auto bytes = std::as_bytes(std::span(&length, 1));
      Ticket ticket = worker.send(bytes, 0, kLengthTag);
      worker.wait(ticket);
    });
  });
}

class WatchedTransport : public net::WrappedTransport {
 public:
  WatchedTransport(std::unique_ptr<Transport> inner, bool& is_over)
      : WrappedTransport(std::move(inner)),
        is_over_(is_over) {}
  ~WatchedTransport() override { is_over_ = true; }

 private:
  bool& is_over_;
};

// What a transport still owned of an arena would be written to, or sent, when
// that is gone.
TEST(Failure, WhoAbandonsAnExchangeEndsTheTransport) {
  auto transports = net::make_local_transports(2);
  bool is_over = false;
  const auto cluster = make_process_cluster(
      std::make_unique<WatchedTransport>(std::move(transports[0]), is_over),
      testing::options_with(4096));
  {
    tensor::Arena arena(
        std::make_shared<tensor::Layout>(
            std::vector<tensor::TensorEntry>{{.name = "w", .shape = {5000}}}),
        std::make_shared<tensor::Layout>(),
        0);
    cluster->attach({&arena});
    Exchange& exchange =
        cluster->begin({.plan = make_plan(graph::Mixing::complete(2), 20'000)});
    exchange.release(0, 0);
    EXPECT_FALSE(is_over);
    cluster->abandon();
    EXPECT_TRUE(is_over);
    cluster->detach();
  }
  EXPECT_THROW(cluster->barrier(), TransportError);
  EXPECT_EQ(cluster->transport_name(), "local");
}

TEST(Fingerprint, EqualOnesPass) {
  run_workers(3, testing::options_with(4096), [](Communicator& worker) {
    EXPECT_NO_THROW(compare_fingerprints(worker, {}));
    const Fingerprint print{{"spec.lr", "0.05"}, {"a:b", "3:x\n"}};
    EXPECT_NO_THROW(compare_fingerprints(worker, print));
  });
}

TEST(Fingerprint, NamesRanksPartAndValues) {
  run_workers(4, testing::options_with(4096), [](Communicator& worker) {
    Fingerprint mine{{"build", "same"}, {"spec.lr", "0.05"}};
    if (worker.rank() == 2) mine["spec.lr"] = "0.1";
    const std::string message =
        message_of<ConfigError>([&] { compare_fingerprints(worker, mine); });
    EXPECT_EQ(
        message,
        "workers disagree on spec.lr: '0.05' on workers 0, 1, 3, '0.1' on "
        "worker 2");
    // The workers have met and may go on.
    barrier(worker);
  });
}

TEST(Fingerprint, APartThatIsMissingIsADifference) {
  run_workers(2, testing::options_with(4096), [](Communicator& worker) {
    Fingerprint mine;
    if (worker.rank() == 0) mine["layout"] = std::string(500, 'x');
    const std::string message =
        message_of<ConfigError>([&] { compare_fingerprints(worker, mine); });
    EXPECT_TRUE(contains(message, "'(absent)' on worker 1")) << message;
    EXPECT_LT(message.size(), 400u);
  });
}

TEST(FlightRecorder, KeepsTheLast) {
  FlightRecorder recorder(4);
  EXPECT_TRUE(recorder.last().empty());
  EXPECT_EQ(recorder.describe(), "");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(recorder.post(i, "mix", i % 2 ? "send" : "recv", i, 10 * i), i);
  }
  recorder.finish(0, Flight::State::kDone); // forgotten already
  recorder.finish(4, Flight::State::kDone);
  recorder.finish(5, Flight::State::kFailed);
  const auto flights = recorder.last();
  ASSERT_EQ(flights.size(), 4u);
  EXPECT_EQ(flights[0].number, 2);
  EXPECT_EQ(flights[0].state, Flight::State::kPosted);
  EXPECT_EQ(flights[2].state, Flight::State::kDone);
  EXPECT_GE(flights[2].finished_seconds, flights[2].posted_seconds);
  const std::string text = recorder.describe(2);
  EXPECT_TRUE(contains(text, "#4 step 4 [mix] recv from worker 4, 40 bytes"));
  EXPECT_TRUE(contains(text, "failed at"));
  EXPECT_FALSE(contains(text, "#3"));
}

} // namespace
} // namespace grapevine::mix
