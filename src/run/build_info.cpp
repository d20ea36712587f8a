#include "run/build_info.h"

#include "base/host_name.h"

#include <torch/version.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <thread>

namespace grapevine::run {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

} // namespace

std::string build_version() {
  return GV_VERSION;
}

std::string git_state() {
  return GV_GIT_STATE;
}

std::string torch_version() {
  return TORCH_VERSION;
}

nlohmann::json machine_info() {
  return {
      {"host", host_name()},
      {"cores", std::thread::hardware_concurrency()},
      {"memory_bytes",
       static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE)},
      {"cpu", cpu_model()}};
}

} // namespace grapevine::run
