// Runs the built program as a person would: words in, exit code and both
// streams out.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace grapevine::cli {

struct Answer {
  int exit_code;
  std::string out;
  std::string error;
};

// A directory of its own, removed with the test.
class Scratch {
 public:
  Scratch() {
    std::string name =
        (std::filesystem::temp_directory_path() / "gv-cli-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const {
    return (path_ / name).string();
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') text += "'\\'";
    text += c;
  }
  text += '\'';
  return text;
}

inline Answer grapevine(
    const std::vector<std::string>& words,
    const std::string& environment = "") {
  const char* program = std::getenv("GRAPEVINE_PROGRAM");
  EXPECT_TRUE(program && *program) << "GRAPEVINE_PROGRAM is not set";
  if (!program) return {-1, "", ""};
  const Scratch scratch;
  // Launchers' variables of the test's own surroundings stay outside.
  std::string command = "cd " + quoted(scratch.path().string()) +
                        " && env -u RANK -u WORLD_SIZE " + environment + " " +
                        quoted(program);
  for (const std::string& word : words) {
    command += ' ';
    command += quoted(word);
  }
  command += " >out 2>error </dev/null";
  const int status = std::system(command.c_str());
  return {
      WIFEXITED(status) ? WEXITSTATUS(status) : -1,
      read_text(scratch.path() / "out"),
      read_text(scratch.path() / "error")};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One clear line on stderr, nothing on stdout, exit code 2.
inline void expect_refusal(
    const std::vector<std::string>& words,
    const std::string& message) {
  const Answer answer = grapevine(words);
  EXPECT_EQ(answer.exit_code, 2) << answer.error;
  EXPECT_EQ(answer.out, "");
  EXPECT_TRUE(contains(answer.error, message))
      << "expected '" << message << "' in: " << answer.error;
  EXPECT_EQ(std::count(answer.error.begin(), answer.error.end(), '\n'), 1)
      << answer.error;
}

} // namespace grapevine::cli
