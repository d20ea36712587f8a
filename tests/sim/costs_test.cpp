#include "sim/costs.h"

#include "base/compute_words.h"
#include "base/error.h"
#include "net/wraps.h"
#include "sim/network.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace grapevine::sim {
namespace {

Costs some_costs() {
  Costs costs;
  costs.compute = {
      .model = "mlp",
      .data = "fashion-mnist",
      .batch = 32,
      .bucket_bytes = {1000, 2000},
      .workers =
          {{{.forward = 0.25, .backward = {0.5, 0.125}},
            {.forward = 0.3, .backward = {0.1, 0.7}}},
           {{.forward = 1e-9, .backward = {0, 1.0 / 3}}}},
      .update_seconds_per_byte = 1e-10};
  costs.nodes = 2;
  costs.workers_per_node = 4;
  costs.inside = Level{.latency = 1e-6, .bandwidth = 1e10, .shared = 3e10};
  costs.between =
      Level{.latency = 5e-5, .bandwidth = kUnlimited, .shared = 1e8};
  costs.node_rates = {{.node = 1, .shared = 5e7}};
  costs.link_rates = {{.a = 0, .b = 5, .latency = 1e-3, .bandwidth = 1e6}};
  return costs;
}

TEST(Costs, ReadWhatTheyWrite) {
  const Costs costs = some_costs();
  EXPECT_EQ(costs_from_json(to_json_text(costs), "test"), costs);
  EXPECT_EQ(
      costs_from_json(to_json_text(costs), "test").compute.workers[1][0],
      costs.compute.workers[1][0]);
}

std::string refusal(const std::string& text) {
  try {
    costs_from_json(text, "costs.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

// The costs with the value of one key replaced, as a JSON pointer has it.
std::string with(const char* key, const char* value) {
  auto json = nlohmann::json::parse(to_json_text(some_costs()));
  json[nlohmann::json::json_pointer(key)] = nlohmann::json::parse(value);
  return json.dump();
}

TEST(Costs, RefuseWhatIsNone) {
  struct Refused {
    std::string text;
    const char* reason;
  };
  const Refused table[] = {
      {"", "costs.json: "},
      {"{}", "not a file of costs"},
      {"[1]", "not a file of costs"},
      {with("/format_version", "2"), "version 2"},
      {with("/compute/bucket_bytes", "[1000,2000,1]"), "3 buckets"},
      {with("/compute/bucket_bytes", "[1000,0]"), "no bytes"},
      {with("/compute/workers/0/forward/0", "-0.25"), "negative"},
      {with("/compute/workers/0/forward/0", "\"x\""), "costs.json"},
      {with("/between/shared", "0"), "between nodes"},
      {with("/nodes", "4294967297"), "at most 2147483647"}};
  for (const auto& [text, reason] : table)
    EXPECT_NE(refusal(text).find(reason), std::string::npos) << text;
  // Rather than cut to what fits.
  for (const char* key :
       {"/nodes",
        "/workers_per_node",
        "/compute/batch",
        "/compute/bucket_bytes/0"}) {
    for (const char* value : {"1e300", "1.5", "18446744073709551615", "\"1\""})
      EXPECT_NE(
          refusal(with(key, value)).find("expected an integer"),
          std::string::npos)
          << key << " " << value;
  }
}

// What is nested without end would overflow the stack when it is printed.
TEST(Costs, RefuseWhatIsNestedTooDeeply) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(
      refusal(
          R"({"format":"grapevine-costs","format_version":)" + deep +
          std::string(deep.size(), ']') + "}")
          .find("nested too deeply"),
      std::string::npos);
}

TEST(Costs, AMissingFileIsTheWorlds) {
  EXPECT_THROW(read_costs("/no/such/file.json"), IoError);
}

// The example in docs/formats.md is read as it stands there.
TEST(Costs, FormatPageExample) {
  std::ifstream page(GV_DOCS "/formats.md");
  std::stringstream text;
  text << page.rdbuf();
  const std::string all = text.str();
  const std::string mark = "<!-- example: costs -->\n```json\n";
  const size_t begin = all.find(mark);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = all.find("```\n", begin + mark.size());
  const std::string example =
      all.substr(begin + mark.size(), end - begin - mark.size());
  const Costs costs = costs_from_json(example, "docs/formats.md");
  EXPECT_EQ(to_json_text(costs), example);
}

TEST(Costs, BucketsAreCutAnew) {
  Compute compute;
  compute.bucket_bytes = {500, 2500, 100};
  compute.workers = {{{.forward = 1, .backward = {2, 4, 8}}}};
  const Compute cut = with_buckets(compute, 1000);
  EXPECT_EQ(cut.bucket_bytes, (std::vector<int64_t>{1000, 1000, 1000, 100}));
  // The first 1000 bytes and the next two are final with the old second
  // bucket.
  EXPECT_EQ(cut.workers[0][0].backward, (std::vector<double>{6, 0, 0, 8}));
  EXPECT_EQ(cut.model_bytes(), compute.model_bytes());
  EXPECT_EQ(cut.workers[0][0].total(), compute.workers[0][0].total());
  EXPECT_EQ(
      with_buckets(compute, 1 << 30).bucket_bytes,
      (std::vector<int64_t>{3100}));
}

TEST(Costs, ALinkTakesThePlaceOfTheMeasuredOne) {
  const Costs costs = with_link(
      some_costs(),
      {.bytes_per_second = 125e6, .delay_seconds = 2e-3});
  EXPECT_DOUBLE_EQ(costs.between->latency, 2e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(costs.between->shared, 125e6 * 1448 / 1514);
  EXPECT_EQ(costs.inside, some_costs().inside);
  EXPECT_TRUE(costs.node_rates.empty());
}

TEST(Costs, PackingMakesLinksBetweenNodesFaster) {
  Costs measured = some_costs();
  measured.compute.bucket_bytes = {1 << 20, 1000};
  const Costs plain =
      with_link(measured, parse_link("1gbit,2ms;2-3:100mbit,10ms"));
  const Costs packed = with_packing(plain);
  constexpr double kMore = 1 / net::kTypicallyPacked;
  EXPECT_DOUBLE_EQ(packed.between->bandwidth, plain.between->bandwidth * kMore);
  EXPECT_DOUBLE_EQ(packed.between->shared, plain.between->shared * kMore);
  EXPECT_EQ(packed.between->latency, plain.between->latency);
  EXPECT_EQ(packed.inside, plain.inside);
  EXPECT_DOUBLE_EQ(
      packed.link_rates[0].bandwidth,
      plain.link_rates[0].bandwidth * kMore);
  EXPECT_DOUBLE_EQ(
      with_packing(measured).node_rates[0].shared,
      measured.node_rates[0].shared * kMore);
  // Short messages are not packed.
  EXPECT_EQ(with_packing(some_costs()), some_costs());
}

TEST(Costs, SingleLinksTakeTheirPlace) {
  const Costs costs = with_link(
      some_costs(),
      parse_link("1gbit,2ms;2-3:100mbit,10ms;0-1:50mbit"));
  ASSERT_EQ(costs.link_rates.size(), 2);
  EXPECT_DOUBLE_EQ(costs.link_rates[0].latency, 2e-3 + 1e-6);
  const LinkRate& link = costs.link_rates[1];
  EXPECT_EQ(link.a, 2);
  EXPECT_EQ(link.b, 3);
  EXPECT_DOUBLE_EQ(link.latency, 10e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(link.bandwidth, 12.5e6 * 1448 / 1514);
  const Network network(costs, 4, 1);
  EXPECT_EQ(network.route(3, 2).latency, link.latency);
  EXPECT_EQ(network.route(3, 2).count, network.route(1, 2).count + 1);
}

TEST(Costs, ComputeInWords) {
  const ComputeWords whole = parse_compute("12ms");
  EXPECT_DOUBLE_EQ(whole.forward, 4e-3);
  EXPECT_DOUBLE_EQ(whole.backward, 8e-3);
  EXPECT_EQ(whole.update, 0);
  const ComputeWords two = parse_compute("4ms,0.01s");
  EXPECT_DOUBLE_EQ(two.forward, 4e-3);
  EXPECT_DOUBLE_EQ(two.backward, 1e-2);
  EXPECT_DOUBLE_EQ(parse_compute("1us,2us,3us").update, 3e-6);
  for (const char* wrong : {"", "12", "1ms,2ms,3ms,4ms", "1ms,", "fast"})
    EXPECT_THROW(parse_compute(wrong), ConfigError) << wrong;
}

TEST(Costs, UniformComputeDividesBackwardByBytes) {
  const Compute compute = uniform_compute(1, 6, 3, {1000, 2000});
  EXPECT_EQ(compute.workers[0][0].backward, (std::vector<double>{2, 4}));
  EXPECT_DOUBLE_EQ(compute.update_seconds_per_byte, 1e-3);
}

} // namespace
} // namespace grapevine::sim
