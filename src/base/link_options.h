// The words for links and slow workers, in the one place where they are read.
// `grapevine launch` makes them true between processes (net/shaped/),
// the virtual cluster counts with them; they mean the same in both.
//
// Links: RATE or RATE,DELAY, and for single ones that differ, behind a
// semicolon each, A-B:RATE or A-B:RATE,DELAY, like
//
//   1gbit,2ms    200mbit    10gbit,50us    100MB/s    unlimited,5ms
//   1gbit,2ms;2-3:100mbit,10ms
//
//   RATE   a number and bit, kbit, mbit, gbit or tbit (a second, powers of
//          1000, in any case; "/s" may follow), or B/s, kB/s, MB/s or GB/s;
//          or `unlimited`. It is the rate of a node's way out and of its way
//          in, each shared by all links of the node, and as tc counts it: with
//          the packets' headers.
//   DELAY  0, or a number and ns, us, ms or s: of every message between two
//          nodes, one way, on top of the time that its bytes take.
//   A-B    two workers on different nodes. What passes between them, each way,
//          has this rate at most, on top of what their nodes allow, and this
//          delay, or without one that of the other links.
//
// Slow workers: one or several of these, separated by commas, like
//
//   3:2.0    0:1.5,3:2    random:0.1:2.0
//
//   RANK:FACTOR          this worker computes FACTOR times slower, always
//   random:SHARE:FACTOR  every worker computes FACTOR times slower in a random
//                        SHARE of its steps
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine {

// What TCP over Ethernet leaves for the payload: a full packet of 1500 bytes
// carries 1448 (20 of IP, 20 of TCP and 12 of timestamps off), and counts as
// 1514 with its Ethernet header, which is what tc counts.
inline constexpr double kPayloadShare = 1448.0 / 1514.0;

// The default limits nothing.
struct LinkLimits {
  double bytes_per_second = std::numeric_limits<double>::infinity();
  double delay_seconds = 0;

  bool limits() const {
    return bytes_per_second < std::numeric_limits<double>::infinity() ||
           delay_seconds > 0;
  }
  bool operator==(const LinkLimits&) const = default;
};

// Of one link: its own.
struct PairLink {
  int a = 0; // a < b, workers
  int b = 0;
  LinkLimits limits;
  bool operator==(const PairLink&) const = default;
};

// Of all nodes and links, but for some; the default limits nothing.
struct LinkOptions {
  double bytes_per_second = std::numeric_limits<double>::infinity();
  double delay_seconds = 0;
  std::vector<PairLink> pairs = {}; // ascending, each once

  bool limits() const {
    return LinkLimits{bytes_per_second, delay_seconds}.limits() ||
           !pairs.empty();
  }
  // The delay between two workers, and what their link carries by itself,
  // without their nodes' limits.
  LinkLimits between(int from, int to) const;
  // Seconds that a node's way out (or in) is busy with this much payload.
  double seconds(int64_t payload_bytes) const {
    return static_cast<double>(payload_bytes) /
           (bytes_per_second * kPayloadShare);
  }
  bool operator==(const LinkOptions&) const = default;
};

struct SlowWorker {
  int rank = 0;
  double factor = 1; // at least 1
  bool operator==(const SlowWorker&) const = default;
};

// The default slows nobody down.
struct SlowOptions {
  std::vector<SlowWorker> workers; // by rank, each once
  double random_share = 0;         // of the steps, 0 to 1
  double random_factor = 1;        // at least 1

  bool slows() const { return !workers.empty() || random_share > 0; }
  bool operator==(const SlowOptions&) const = default;
};

// Throw ConfigError with the word and what is allowed, without the name of the
// option, which the caller knows. An empty text is no word at all: it is
// refused for a link, and slows nobody.
LinkOptions parse_link(std::string_view text);
SlowOptions parse_slow(std::string_view text);

// A text that reads back as the same value; the shortest of the units.
std::string format_link(const LinkOptions& link);
std::string format_slow(const SlowOptions& slow);

// A time as DELAY above; nothing where it is none.
std::optional<double> parse_delay(std::string_view text);

// Throw ConfigError when a worker is named that a run of n does not have, or a
// link between two of one node.
void check_slow_workers(const SlowOptions& slow, int n);
void check_links(const LinkOptions& link, int n, int workers_per_node);

// How many times slower than usual this worker computes at this step; the
// random part is addressed by (seed, rank, step). Both parts multiply.
double
slow_factor(const SlowOptions& slow, uint64_t seed, int rank, int64_t step);

} // namespace grapevine
