// GV_CLONES on a function compiles it once for each instruction set and picks
// one when the program starts, by what the processor can do (a name like
// "haswell" would ask for that very model). The thread sanitizer cannot start
// with that (its runtime is not ready when the choice is made), so it is off
// there.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(GV_NO_TARGET_CLONES)
#define GV_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GV_CLONES
#endif
