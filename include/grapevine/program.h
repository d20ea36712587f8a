// The program, for those who build their own with more in it: a model of their
// own (grapevine/model.h), say. Link Grapevine::program, and, if its
// asynchronous runs over Gloo are to outlive workers that die while they
// connect, Grapevine::gloo_getpeername_shim, which replaces the C library's
// getpeername for Gloo.
#pragma once

namespace grapevine {

// All that `grapevine` does with its arguments; returns its exit code. Call it
// from main, before anything else has used torch: it sets the threads of its
// libraries.
int run_program(int argc, char** argv);

} // namespace grapevine
