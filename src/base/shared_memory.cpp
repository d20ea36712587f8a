#include "base/shared_memory.h"

#include "base/check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <new>

namespace grapevine {
namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

std::string process_namespace() {
  std::array<char, 64> text{};
  const ssize_t length =
      readlink("/proc/self/ns/pid", text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<size_t>(length))
                    : "";
}

std::byte* map(int file, size_t bytes) {
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

// -1 where there is no such process.
int open_process(int64_t process) {
  return static_cast<int>(
      syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
}

} // namespace

std::string memory_domain_of_this_process() {
  utsname host{};
  if (uname(&host) != 0) return {};
  return fmt::format(
      "{} {} {} {}",
      boot_id(),
      host.nodename,
      process_namespace(),
      geteuid());
}

std::unique_ptr<SharedMemory> SharedMemory::create(size_t bytes) {
  const int file = memfd_create("grapevine", MFD_CLOEXEC);
  if (file < 0) throw std::bad_alloc();
  std::byte* data = nullptr;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) data = map(file, bytes);
  if (data == nullptr) {
    close(file);
    throw std::bad_alloc();
  }
  return std::unique_ptr<SharedMemory>(new SharedMemory(data, bytes, file, -1));
}

std::unique_ptr<SharedMemory> SharedMemory::open(const MemoryName& name) {
  const bool foreign = name.process != getpid();
  const int process = foreign ? open_process(name.process) : -1;
  if (foreign && process < 0) return nullptr;
  const auto path = fmt::format("/proc/{}/fd/{}", name.process, name.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  std::byte* data = nullptr;
  struct stat found {};
  const auto bytes = static_cast<size_t>(name.bytes);
  // Whoever took the process's number would hardly have such a file.
  if (file >= 0 && fstat(file, &found) == 0 && found.st_size == name.bytes) {
    data = map(file, bytes);
  }
  if (file >= 0) close(file);
  if (data == nullptr) {
    if (process >= 0) close(process);
    return nullptr;
  }
  return std::unique_ptr<SharedMemory>(
      new SharedMemory(data, bytes, -1, process));
}

SharedMemory::~SharedMemory() {
  munmap(data_, size_);
  close_name();
  if (process_ >= 0) close(process_);
}

MemoryName SharedMemory::name() const {
  GV_CHECK_GE(file_, 0);
  return {
      .process = getpid(),
      .file = file_,
      .bytes = static_cast<int64_t>(size_)};
}

void SharedMemory::close_name() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

bool SharedMemory::maker_is_gone() const {
  if (process_ < 0) return false;
  pollfd handle{.fd = process_, .events = POLLIN, .revents = 0};
  return poll(&handle, 1, 0) > 0;
}

void Bell::ring() {
  count_.fetch_add(1);
  // Both sides count first and look second, so one of them sees the other.
  if (sleepers_.load() == 0) return;
  syscall(SYS_futex, &count_, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void Bell::wait(uint32_t heard, std::chrono::milliseconds longest) {
  const timespec time{
      .tv_sec = longest.count() / 1000,
      .tv_nsec = longest.count() % 1000 * 1'000'000};
  sleepers_.fetch_add(1);
  syscall(SYS_futex, &count_, FUTEX_WAIT, heard, &time, nullptr, 0);
  sleepers_.fetch_sub(1);
}

} // namespace grapevine
