// Launches of shell scripts in a directory of their own.
#pragma once

#include "net/launch/launch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::net {

namespace fs = std::filesystem;
inline bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class LaunchTest : public ::testing::Test {
 public:
  LaunchTest() {
    std::string path = (fs::temp_directory_path() / "launch-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error(path);
    directory_ = path;
  }
  ~LaunchTest() override { fs::remove_all(directory_); }

  // Forgets what the workers of an earlier launch have left.
  void clear() const {
    for (const auto& entry : fs::directory_iterator(directory_))
      fs::remove(entry.path());
  }

  // `body` runs in the test's directory, once all workers have written their
  // pid.RANK there.
  std::vector<std::string> script(const std::string& body) const {
    return {
        "sh",
        "-c",
        "cd " + directory_.string() + "; echo $$ > tmp.$RANK; " +
            "mv tmp.$RANK pid.$RANK; "
            "while [ $(ls | grep -c '^pid[.]') -lt $WORLD_SIZE ]; "
            "do sleep 0.02; done; " +
            body};
  }

  LaunchReport run(const std::string& body, LaunchOptions options = {}) {
    if (options.workers == 1) options.workers = 3;
    auto report = launch(options, script(body));
    expect_none_running(options.workers);
    return report;
  }

  std::string read(const std::string& name) const {
    std::ifstream file(directory_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  bool exists(const std::string& name) const {
    return fs::exists(directory_ / name);
  }

  pid_t pid(int rank) const {
    return std::stoi(read("pid." + std::to_string(rank)));
  }

  static bool is_running(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(file, text)) return false;
    const auto name_end = text.rfind(')');
    return name_end != std::string::npos && text[name_end + 2] != 'Z';
  }

  void expect_none_running(int workers) const {
    for (int rank = 0; rank < workers; ++rank) {
      EXPECT_FALSE(is_running(pid(rank))) << "worker " << rank;
    }
  }

  fs::path directory_;
};

inline constexpr const char* kSleepLong = "while :; do sleep 0.05; done";

} // namespace grapevine::net
