// The entry points of libFuzzer: one program for all targets, which reads the
// name of its target from GRAPEVINE_FUZZ_TARGET. Without one it lists their
// names and the lengths of their inputs.
#include "fuzz/targets.h"

#include <cstdio>
#include <cstdlib>

namespace {

const grapevine::fuzz::Target& chosen() {
  static const grapevine::fuzz::Target& target = [] {
    const char* name = std::getenv("GRAPEVINE_FUZZ_TARGET");
    const auto* found =
        grapevine::fuzz::find_target(name == nullptr ? "" : name);
    if (found != nullptr) return *found;
    for (const auto& target : grapevine::fuzz::targets()) {
      std::printf(
          "%s %lld\n",
          target.name.c_str(),
          static_cast<long long>(target.longest_input));
    }
    std::exit(name == nullptr ? 0 : 2);
  }();
  return target;
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  chosen();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  grapevine::fuzz::run(chosen(), {bytes, size});
  return 0;
}
