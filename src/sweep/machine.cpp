#include "sweep/machine.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

namespace grapevine::sweep {
namespace {

constexpr int64_t kKibi = 1024;

// A file that cannot be read is an empty one here.
std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<int64_t> leading_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Nothing where no limit is set ("max") or there are no control groups.
std::optional<int64_t> left_by_control_group() {
  const std::filesystem::path group = "/sys/fs/cgroup";
  const auto limit = leading_number(text_of(group / "memory.max"));
  const auto used = leading_number(text_of(group / "memory.current"));
  if (!limit || !used) return std::nullopt;
  return std::max<int64_t>(0, *limit - *used);
}

} // namespace

int available_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int64_t parse_available(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemAvailable:";
  const size_t found = meminfo.find(kKey);
  if (found == std::string_view::npos) return 0;
  meminfo.remove_prefix(found + kKey.size());
  meminfo.remove_prefix(
      std::min(meminfo.find_first_not_of(' '), meminfo.size()));
  return leading_number(meminfo).value_or(0) * kKibi;
}

int64_t available_memory() {
  const int64_t machine = parse_available(text_of("/proc/meminfo"));
  const auto group = left_by_control_group();
  if (!group) return machine;
  return machine == 0 ? *group : std::min(machine, *group);
}

} // namespace grapevine::sweep
