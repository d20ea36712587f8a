#include "net/shaped/link_table.h"

#include "base/error.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

namespace grapevine::net {

// The shared memory holds a header, a stream for each ordered pair of workers,
// the streams' logs, and the links' own limits.

struct LinkTable::Header {
  char magic[8];
  int workers;
  int workers_per_node;
  double bytes_per_second; // of a node
  pthread_mutex_t mutex;
  double clock; // up to which everything has happened
};

// One line of the cache each: they are looked through at every session.
struct alignas(64) LinkTable::Stream {
  int64_t posted;       // bytes, by the sender
  int64_t wanted;       // bytes, by the receiver
  double delivered;     // bytes
  int64_t appended;     // messages
  int64_t stamped;      // of these, those whose finish is known
  int64_t sender_low;   // index of the first message still of interest
  int64_t receiver_low; // the same for the receiver
  uint64_t link;        // whose these are

  double allowed() const {
    return static_cast<double>(std::min(posted, wanted));
  }
};

namespace {

constexpr double kNotYet = -1;
// Of a byte: what rounding may leave of a backlog.
constexpr double kNothing = 1e-3;
// How many streams may drain before a prediction is given up; it is then a
// bound, and asked for again at that time.
constexpr int kMostEvents = 32;
// Seconds: a session takes microseconds, but its process may be stopped.
constexpr int kLongestHold = 30;
// Seconds: when to ask again for a message that may not move yet.
constexpr double kLookAgain = 1e-3;

// pthread_mutex_clocklock, but in words that the thread sanitizer knows. The
// lock is held for microseconds, so it is soon free or its holder is stopped.
int lock_in_time(pthread_mutex_t* mutex) {
  constexpr int kYields = 100;
  const double until = monotonic_seconds() + kLongestHold;
  for (int turn = 0;; ++turn) {
    const int code = pthread_mutex_trylock(mutex);
    if (code != EBUSY) return code;
    if (monotonic_seconds() > until) return ETIMEDOUT;
    if (turn < kYields) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

constexpr char kMagic[8] = {'G', 'V', 'L', 'I', 'N', 'K', 'S', '2'};
// Where the streams begin, after the header.
constexpr size_t kStreamsOffset = 4096;

[[noreturn]] void throw_system(const char* what) {
  throw IoError(fmt::format("links: {}: {}", what, std::strerror(errno)));
}

} // namespace

double monotonic_seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int LinkTable::create(const Shape& shape) {
  static_assert(sizeof(Header) <= kStreamsOffset);
  check_links(shape.link, shape.workers, shape.workers_per_node);
  if (shape.workers > kMostWorkers) {
    throw ConfigError(fmt::format(
        "links between at most {} workers can be limited, got {}",
        kMostWorkers,
        shape.workers));
  }
  const auto pairs = static_cast<size_t>(shape.workers) * shape.workers;
  const size_t length =
      kStreamsOffset + pairs * (sizeof(Stream) + kLogLength * sizeof(Entry) +
                                sizeof(LinkLimits));
  // Not closed on exec: that is how the workers get it.
  const int descriptor = memfd_create("grapevine-links", 0);
  if (descriptor < 0) throw_system("memfd_create");
  void* memory = MAP_FAILED;
  if (ftruncate(descriptor, static_cast<off_t>(length)) == 0) {
    memory = mmap(
        nullptr,
        length,
        PROT_READ | PROT_WRITE,
        MAP_SHARED,
        descriptor,
        0);
  }
  if (memory == MAP_FAILED) {
    close(descriptor);
    throw_system("mmap");
  }
  // All else is zero, which is right.
  auto* header = static_cast<Header*>(memory);
  header->workers = shape.workers;
  header->workers_per_node = shape.workers_per_node;
  header->bytes_per_second = shape.link.bytes_per_second;
  header->clock = monotonic_seconds();
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&header->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  auto* limits = reinterpret_cast<LinkLimits*>(
      static_cast<std::byte*>(memory) + length - pairs * sizeof(LinkLimits));
  for (int from = 0; from < shape.workers; ++from) {
    for (int to = 0; to < shape.workers; ++to)
      limits[from * shape.workers + to] = shape.link.between(from, to);
  }
  std::memcpy(header->magic, kMagic, sizeof(kMagic));
  munmap(memory, length);
  return descriptor;
}

LinkTable::LinkTable(int descriptor) : fluid_(0, 0) {
  struct stat status = {};
  const bool is_open = fstat(descriptor, &status) == 0;
  length_ = is_open ? static_cast<size_t>(status.st_size) : 0;
  if (length_ > sizeof(Header)) {
    memory_ = mmap(
        nullptr,
        length_,
        PROT_READ | PROT_WRITE,
        MAP_SHARED,
        descriptor,
        0);
    if (memory_ == MAP_FAILED) memory_ = nullptr;
  }
  header_ = static_cast<Header*>(memory_);
  if (header_ == nullptr ||
      std::memcmp(header_->magic, kMagic, sizeof(kMagic)) != 0) {
    if (memory_ != nullptr) munmap(memory_, length_);
    throw ConfigError(fmt::format(
        "descriptor {} holds no table of links; it is inherited from "
        "`grapevine launch`, through programs that leave descriptors open",
        descriptor));
  }
  workers_ = header_->workers;
  workers_per_node_ = header_->workers_per_node;
  node_rate_ = header_->bytes_per_second * kPayloadShare;
  auto* bytes = static_cast<std::byte*>(memory_);
  streams_ = reinterpret_cast<Stream*>(bytes + kStreamsOffset);
  const auto pairs = static_cast<size_t>(workers_) * workers_;
  entries_ = reinterpret_cast<Entry*>(streams_ + pairs);
  limits_ = reinterpret_cast<LinkLimits*>(entries_ + pairs * kLogLength);
  fluid_ = Fluid(node_of(workers_ - 1) + 1, node_rate_);
}

LinkTable::~LinkTable() {
  munmap(memory_, length_);
}

bool LinkTable::connects(int a, int b) const {
  return node_of(a) != node_of(b);
}

const LinkLimits& LinkTable::limits(int from, int to) const {
  return limits_[from * workers_ + to];
}

LinkTable::Stream& LinkTable::stream(int from, int to) const {
  return streams_[from * workers_ + to];
}

LinkTable::Entry& LinkTable::entry(int from, int to, int64_t index) const {
  const int64_t log = from * workers_ + to;
  return entries_[log * kLogLength + index % kLogLength];
}

LinkTable::Session::Session(LinkTable& table) : table_(table) {
  pthread_mutex_t* mutex = &table_.header_->mutex;
  const int code = lock_in_time(mutex);
  if (code == ETIMEDOUT) {
    throw TimeoutError(fmt::format(
        "timed out: a worker has held the table of links for {} s",
        kLongestHold));
  }
  if (code == EOWNERDEAD) {
    pthread_mutex_consistent(mutex);
  } else if (code != 0) {
    throw TransportError(fmt::format(
        "the table of links cannot be locked: {}",
        std::strerror(code)));
  }
  advance(monotonic_seconds());
}

LinkTable::Session::~Session() {
  pthread_mutex_unlock(&table_.header_->mutex);
}

double LinkTable::Session::now() const {
  return table_.header_->clock;
}

void LinkTable::Session::begin_link(int from, int to, uint64_t number) {
  table_.stream(from, to) = Stream{.link = number};
}

uint64_t LinkTable::Session::link(int from, int to) const {
  return table_.stream(from, to).link;
}

void LinkTable::Session::gather_flows() {
  const int n = table_.workers_;
  table_.flows_.clear();
  for (int index = 0; index < n * n; ++index) {
    const Stream& stream = table_.streams_[index];
    const double backlog = stream.allowed() - stream.delivered;
    if (backlog <= kNothing) continue;
    table_.flows_.push_back(
        {.from = table_.node_of(index / n),
         .to = table_.node_of(index % n),
         .backlog = backlog,
         .stream = index,
         .limit = table_.limits_[index].bytes_per_second * kPayloadShare});
  }
}

void LinkTable::Session::stamp(int index, double delivered, double rate) {
  const int n = table_.workers_;
  Stream& stream = table_.streams_[index];
  const double clock = table_.header_->clock;
  for (; stream.stamped < stream.appended; ++stream.stamped) {
    Entry& entry = table_.entry(index / n, index % n, stream.stamped);
    const double ahead = static_cast<double>(entry.end) - stream.delivered;
    if (static_cast<double>(entry.end) > delivered + kNothing) return;
    entry.finish = clock + (ahead > 0 ? ahead / rate : 0);
  }
}

void LinkTable::Session::move(double seconds, bool for_real) {
  for (Flow& flow : table_.flows_) {
    const double moved = std::min(flow.backlog, flow.rate * seconds);
    flow.backlog -= moved;
    if (!for_real) continue;
    Stream& stream = table_.streams_[flow.stream];
    double delivered = stream.delivered + moved;
    if (flow.backlog <= kNothing) delivered = stream.allowed();
    stamp(flow.stream, delivered, flow.rate);
    stream.delivered = delivered;
  }
  std::erase_if(table_.flows_, [](const Flow& flow) {
    return flow.backlog <= kNothing;
  });
}

void LinkTable::Session::advance(double now) {
  double& clock = table_.header_->clock;
  if (now <= clock) return;
  gather_flows();
  while (clock < now && !table_.flows_.empty()) {
    table_.fluid_.share(table_.flows_);
    const double left = now - clock;
    const double first = Fluid::first_drained(table_.flows_);
    move(std::min(first, left), true);
    clock = first < left ? clock + first : now;
  }
  clock = now;
}

void LinkTable::Session::settle(int from, int to) {
  Stream& stream = table_.stream(from, to);
  const int index = from * table_.workers_ + to;
  if (!std::isfinite(table_.node_rate_) &&
      !std::isfinite(table_.limits_[index].bytes_per_second)) {
    stream.delivered = std::max(stream.delivered, stream.allowed());
  }
  stamp(index, stream.delivered, 1);
}

std::optional<int64_t>
LinkTable::Session::append(int from, int to, Tag tag, int64_t bytes) {
  Stream& stream = table_.stream(from, to);
  const int64_t low = std::min(stream.sender_low, stream.receiver_low);
  if (stream.appended - low >= kLogLength) return std::nullopt;
  const int64_t end = stream.posted + bytes;
  table_.entry(from, to, stream.appended) = {end, kNotYet, tag};
  stream.posted = end;
  const int64_t index = stream.appended++;
  settle(from, to);
  return index;
}

void LinkTable::Session::want(int from, int to, int64_t bytes) {
  table_.stream(from, to).wanted += bytes;
  settle(from, to);
}

void LinkTable::Session::want_up_to(int from, int to, int64_t end) {
  Stream& stream = table_.stream(from, to);
  if (stream.wanted >= end) return;
  stream.wanted = end;
  settle(from, to);
}

int64_t LinkTable::Session::appended(int from, int to) const {
  return table_.stream(from, to).appended;
}

const LinkTable::Entry&
LinkTable::Session::entry(int from, int to, int64_t index) const {
  return table_.entry(from, to, index);
}

void LinkTable::Session::sender_has_read(int from, int to, int64_t low) {
  table_.stream(from, to).sender_low = low;
}

void LinkTable::Session::receiver_has_read(int from, int to, int64_t low) {
  table_.stream(from, to).receiver_low = low;
}

double LinkTable::Session::earliest_finish(int from, int to, int64_t end) {
  const Stream& stream = table_.stream(from, to);
  const int index = from * table_.workers_ + to;
  double time = now();
  if (end < 0) return time + kLookAgain;
  double missing = static_cast<double>(end) - stream.delivered;
  gather_flows();
  for (int event = 0; event < kMostEvents && missing > kNothing; ++event) {
    const auto mine = std::ranges::find(table_.flows_, index, &Flow::stream);
    if (mine == table_.flows_.end()) return time + kLookAgain;
    table_.fluid_.share(table_.flows_);
    const double own = missing / mine->rate;
    const double first = Fluid::first_drained(table_.flows_);
    if (own <= first) return time + own;
    missing -= mine->rate * first;
    move(first, false);
    time += first;
  }
  return time;
}

} // namespace grapevine::net
