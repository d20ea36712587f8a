// Runs the program as a person would: words in, exit code and both streams out.
#pragma once

#include <grapevine/program.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
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

inline Answer answer_of(int status, const Scratch& scratch) {
  return {
      WIFEXITED(status) ? WEXITSTATUS(status) : -1,
      read_text(scratch.path() / "out"),
      read_text(scratch.path() / "error")};
}

inline void redirect(const std::string& path, int flags, int descriptor) {
  dup2(open(path.c_str(), flags, 0644), descriptor);
}

using Variables = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] inline void become_program(
    std::vector<std::string> words,
    const Scratch& scratch,
    const Variables& variables = {}) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(scratch.file("out"), kNew, STDOUT_FILENO);
  redirect(scratch.file("error"), kNew, STDERR_FILENO);
  // Launchers' variables of the test's own surroundings stay outside.
  for (const char* name : {"RANK", "WORLD_SIZE"})
    unsetenv(name);
  for (const auto& [name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  std::filesystem::current_path(scratch.path());
  words.insert(words.begin(), "grapevine");
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  const int code =
      run_program(static_cast<int>(arguments.size()), arguments.data());
  std::fflush(nullptr);
  std::_Exit(code);
}

// Where mpirun keeps its files. Those of two jobs that share a folder can get
// into each other's way when one of them ends.
inline constexpr const char* kMpirunFolder = "OMPI_MCA_orte_tmpdir_base";

// The program's file in a process of its own, after `before` ("mpirun -np 4").
inline Answer start_program(
    const std::vector<std::string>& words,
    const std::string& before = "") {
  const char* program = std::getenv("GRAPEVINE_PROGRAM");
  EXPECT_TRUE(program && *program) << "GRAPEVINE_PROGRAM is not set";
  if (!program) return {-1, "", ""};
  const Scratch scratch;
  std::string command = "cd " + quoted(scratch.path().string()) +
                        " && env -u RANK -u WORLD_SIZE " + kMpirunFolder +
                        "=\"$PWD\" " + before + " " + quoted(program);
  for (const std::string& word : words) {
    command += ' ';
    command += quoted(word);
  }
  command += " >out 2>error </dev/null";
  return answer_of(std::system(command.c_str()), scratch);
}

// What the program's file would answer, from a fork of this test: loading torch
// is most of what a start costs, and here it is loaded already.
class ForkedProgram {
 public:
  explicit ForkedProgram(
      std::vector<std::string> words,
      const Variables& variables = {}) {
    std::fflush(nullptr); // or the child would print what this test has to say
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("fork failed");
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      become_program(std::move(words), scratch_, variables);
    }
  }
  ~ForkedProgram() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  ForkedProgram(const ForkedProgram&) = delete;
  ForkedProgram& operator=(const ForkedProgram&) = delete;

  Answer wait() {
    int status = -1;
    waitpid(child_, &status, 0);
    child_ = -1;
    return answer_of(status, scratch_);
  }

 private:
  Scratch scratch_;
  pid_t child_;
};

inline Answer grapevine(std::vector<std::string> words) {
  // Its workers are started from the program's file.
  if (!words.empty() && words.front() == "launch") return start_program(words);
  return ForkedProgram(std::move(words)).wait();
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
