#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace grapevine::cli {
namespace {

// Signal handlers have no context to travel in, hence the two globals.
std::atomic<bool> interrupted = false;
std::atomic<bool> announces = false;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr int kKilledBySignal = 128; // plus its number, as shells have it

void on_signal(int number) {
  if (interrupted.exchange(true)) std::_Exit(kKilledBySignal + number);
  if (!announces) return;
  constexpr std::string_view kNote =
      "\ninterrupted: writing a checkpoint (again to end at once)\n";
  [[maybe_unused]] const auto ignored =
      write(STDERR_FILENO, kNote.data(), kNote.size());
}

} // namespace

const std::atomic<bool>& interrupt_flag(bool announce) {
  announces = announce;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

} // namespace grapevine::cli
