// Runs the tests of a program. One that ends by a signal says which test it was
// and where: tests that pass are silent (GTEST_BRIEF), so nothing else would.
//
// Every test has its own time limit, so that a hang ends in a minute and names
// the test: GRAPEVINE_TEST_SECONDS, 60 by default, 0 = none.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

void say(std::string_view text) {
  // Nothing can be done about what cannot be said.
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, text.data(), text.size());
}

// Of what it calls, only write is sure to work in a process that is broken; the
// rest does as a rule, and the signal ends the process all the same.
void report_crash(int number) {
  say(number == SIGALRM ? "\ntimed out: " : "\ncrashed: ");
  say(strsignal(number));
  if (const auto* test =
          testing::UnitTest::GetInstance()->current_test_info()) {
    say(" in ");
    say(test->test_suite_name());
    say(".");
    say(test->name());
  }
  say("\n");
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  raise(number); // by default now (SA_RESETHAND)
}

void report_crashes() {
  void* frame = nullptr;
  backtrace(&frame, 1); // loads what it needs, while that is safe
  struct sigaction action = {};
  action.sa_handler = report_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
    struct sigaction present = {};
    sigaction(number, nullptr, &present);
    // A sanitizer has its own way of saying it.
    if (present.sa_handler == SIG_DFL) sigaction(number, &action, nullptr);
  }
}

class TimeLimit : public testing::EmptyTestEventListener {
 public:
  explicit TimeLimit(unsigned seconds) : seconds_(seconds) {}

 private:
  void OnTestStart(const testing::TestInfo&) override { alarm(seconds_); }
  void OnTestEnd(const testing::TestInfo&) override { alarm(0); }

  const unsigned seconds_;
};

unsigned time_limit() {
  const char* given = std::getenv("GRAPEVINE_TEST_SECONDS");
  return given ? static_cast<unsigned>(std::atoi(given)) : 60;
}

} // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  report_crashes();
  testing::UnitTest::GetInstance()->listeners().Append(
      new TimeLimit(time_limit())); // owned by googletest
  return RUN_ALL_TESTS();
}
