#include "base/link_options.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace grapevine {
namespace {

void expect_refusal(auto parse, const std::string& text) {
  try {
    parse(text);
    ADD_FAILURE() << "'" << text << "' was taken";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()), "") << text;
  }
}

TEST(LinkOptions, RatesAndDelays) {
  const auto expect = [](const char* text, double rate, double delay) {
    const LinkOptions link = parse_link(text);
    EXPECT_DOUBLE_EQ(link.bytes_per_second, rate) << text;
    EXPECT_DOUBLE_EQ(link.delay_seconds, delay) << text;
    EXPECT_TRUE(link.limits()) << text;
  };
  expect("1gbit,2ms", 125e6, 2e-3);
  expect("200mbit", 25e6, 0);
  expect("10gbit,50us", 1.25e9, 50e-6);
  expect("100MB/s", 100e6, 0);
  expect("2.5 Gbit/s , 0.5 ms", 312.5e6, 0.5e-3);
  expect("800kbit,0", 100e3, 0);
  expect("1.5GB/s,100ns", 1.5e9, 100e-9);
  expect("unlimited,1s", std::numeric_limits<double>::infinity(), 1);
  EXPECT_FALSE(LinkOptions{}.limits());
  EXPECT_FALSE(parse_link("unlimited").limits());
}

TEST(LinkOptions, WhatIsNoLinkIsRefused) {
  for (const char* text :
       {"",
        "1",
        "0mbit",
        "-1gbit",
        "gbit",
        "1gb",
        "1Gb/s",
        "1gbps",
        "1gbit,",
        "1gbit,2",
        "1gbit,-2ms",
        "1gbit,2ms,3ms",
        "nanmbit",
        "infgbit",
        "1gbit,2parsecs"}) {
    expect_refusal(parse_link, text);
  }
}

TEST(LinkOptions, TheTextReadsBack) {
  EXPECT_EQ(format_link(parse_link("1000mbit,2000us")), "1gbit,2ms");
  EXPECT_EQ(format_link(parse_link("25MB/s")), "200mbit");
  EXPECT_EQ(format_link(parse_link("unlimited,50us")), "unlimited,50us");
  EXPECT_EQ(format_link({}), "unlimited");
  for (const double rate : {1.0, 0.1, 1e3 / 3, 123456.789, 1e9 / 7, 3e12}) {
    for (const double delay : {0.0, 1e-3 / 3, 7e-8, 0.0125, 2.0 / 3, 17.0}) {
      const LinkOptions link{rate, delay};
      EXPECT_EQ(parse_link(format_link(link)), link) << format_link(link);
    }
  }
}

TEST(LinkOptions, SingleLinksDiffer) {
  const LinkOptions link =
      parse_link("1gbit,2ms; 5-4:unlimited,0; 2-3:100mbit,10ms; 0-7:80mbit");
  EXPECT_EQ(link.bytes_per_second, 125e6);
  ASSERT_EQ(link.pairs.size(), 3);
  EXPECT_EQ(link.pairs[0], (PairLink{0, 7, {10e6, 2e-3}}));
  EXPECT_EQ(link.pairs[1], (PairLink{2, 3, {12.5e6, 10e-3}}));
  EXPECT_EQ(link.between(3, 2), link.pairs[1].limits);
  EXPECT_EQ(link.between(4, 5), LinkLimits{});
  EXPECT_EQ(link.between(2, 4), (LinkLimits{.delay_seconds = 2e-3}));
  EXPECT_EQ(
      format_link(link),
      "1gbit,2ms;0-7:80mbit;2-3:100mbit,10ms;4-5:unlimited,0");
  EXPECT_EQ(parse_link(format_link(link)), link);
  EXPECT_TRUE(parse_link("unlimited;0-1:1gbit").limits());
  for (const char* text :
       {"1gbit;",
        "2-3:100mbit",
        "1gbit;2:100mbit",
        "1gbit;2-2:100mbit",
        "1gbit;2--3:100mbit",
        "1gbit;2-3-4:100mbit",
        "1gbit;2-3",
        "1gbit;2-3:",
        "1gbit;2-3:1ms",
        "1gbit;2-3:1gbit,1ms,1ms",
        "1gbit;2-3:1gbit;3-2:1mbit"}) {
    expect_refusal(parse_link, text);
  }
}

TEST(LinkOptions, SingleLinksAreBetweenWorkersOfTwoNodes) {
  const LinkOptions link = parse_link("1gbit;2-3:100mbit");
  check_links(link, 4, 1);
  check_links(link, 4, 3);
  const auto refused = [&](int n, int per_node, const std::string& part) {
    try {
      check_links(link, n, per_node);
      ADD_FAILURE() << n << " workers, " << per_node << " a node";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << error.what();
    }
  };
  refused(3, 1, "there is no link 2-3; the 3 workers are 0 to 2");
  refused(4, 2, "workers 2 and 3 share a node of 2");
}

TEST(LinkOptions, HeadersTakeTheirShareOfTheRate) {
  const LinkOptions link = parse_link("1gbit");
  EXPECT_NEAR(link.seconds(25'000'000), 0.2091, 1e-4);
  EXPECT_EQ(LinkOptions{}.seconds(1 << 30), 0);
}

TEST(SlowOptions, WorkersAndChance) {
  EXPECT_FALSE(parse_slow("").slows());
  const SlowOptions one = parse_slow("3:2.0");
  EXPECT_EQ(one.workers, (std::vector<SlowWorker>{{3, 2.0}}));
  const SlowOptions many = parse_slow("7:1.5, random:0.1:3 ,0:4");
  EXPECT_EQ(many.workers, (std::vector<SlowWorker>{{0, 4}, {7, 1.5}}));
  EXPECT_EQ(many.random_share, 0.1);
  EXPECT_EQ(many.random_factor, 3);
  EXPECT_EQ(format_slow(many), "0:4,7:1.5,random:0.1:3");
  EXPECT_EQ(parse_slow(format_slow(many)), many);
  EXPECT_EQ(format_slow({}), "");
}

TEST(SlowOptions, WhatIsNoSlowdownIsRefused) {
  for (const char* text :
       {"3",
        "3:",
        ":2",
        "3:0.5",
        "-1:2",
        "1.5:2",
        "3:2,",
        "3:2,3:4",
        "3:inf",
        "random:0.1",
        "random:0:2",
        "random:1.1:2",
        "random:0.1:0.9",
        "random:0.1:2,random:0.2:2",
        "chance:0.1:2"}) {
    expect_refusal(parse_slow, text);
  }
  EXPECT_NO_THROW(check_slow_workers(parse_slow("3:2"), 4));
  EXPECT_THROW(check_slow_workers(parse_slow("3:2"), 3), ConfigError);
}

TEST(SlowOptions, FactorsAreAddressed) {
  const SlowOptions slow = parse_slow("1:3,random:0.1:2");
  int slowed = 0;
  for (int step = 0; step < 10000; ++step) {
    const double factor = slow_factor(slow, 7, 0, step);
    EXPECT_EQ(factor, slow_factor(slow, 7, 0, step));
    EXPECT_TRUE(factor == 1 || factor == 2);
    slowed += factor == 2;
    const double fixed = slow_factor(slow, 7, 1, step);
    EXPECT_TRUE(fixed == 3 || fixed == 6);
  }
  EXPECT_NEAR(slowed, 1000, 120); // four standard deviations
  int differs = 0;
  for (int step = 0; step < 1000; ++step) {
    differs += slow_factor(slow, 7, 0, step) != slow_factor(slow, 8, 0, step) ||
               slow_factor(slow, 7, 0, step) != slow_factor(slow, 7, 2, step);
  }
  EXPECT_GT(differs, 100);
}

} // namespace
} // namespace grapevine
