#include "net/shaped/link_table.h"

#include "base/error.h"
#include "net/shaped/link_table_layout.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace grapevine::net {
namespace {

constexpr char kMagic[8] = {'G', 'V', 'L', 'I', 'N', 'K', 'S', '2'};
// Of the streams, behind the header.
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

} // namespace grapevine::net
