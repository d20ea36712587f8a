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

// The number behind a key of memory.stat; 0 where it is not there.
int64_t value_behind(std::string_view text, std::string_view key) {
  const size_t found = text.find(key);
  if (found == std::string_view::npos) return 0;
  text.remove_prefix(found + key.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return leading_number(text).value_or(0);
}

// Nothing where no limit is set ("max") or there are no control groups. At
// least 1: 0 would mean that nothing is known. What files have left in the
// cache is given up when memory is asked for.
std::optional<int64_t> left_by_control_group() {
  const std::filesystem::path group = "/sys/fs/cgroup";
  const auto limit = leading_number(text_of(group / "memory.max"));
  const auto used = leading_number(text_of(group / "memory.current"));
  if (!limit || !used) return std::nullopt;
  const int64_t cache =
      value_behind(text_of(group / "memory.stat"), "inactive_file ");
  return std::max<int64_t>(1, *limit - *used + cache);
}

} // namespace

int available_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int64_t parse_available(std::string_view meminfo) {
  return value_behind(meminfo, "MemAvailable:") * kKibi;
}

int64_t available_memory() {
  const int64_t machine = parse_available(text_of("/proc/meminfo"));
  const auto group = left_by_control_group();
  if (!group) return machine;
  return machine == 0 ? *group : std::min(machine, *group);
}

} // namespace grapevine::sweep
