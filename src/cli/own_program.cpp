#include "cli/program.h"

#include <grapevine/program.h>

#include <cstdlib>

int grapevine::run_program(int argc, char** argv) {
  // Workers are the parallelism; a BLAS with threads of its own would only
  // get in their way. An explicit setting of the user's stays.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  setenv("OMP_NUM_THREADS", "1", 0);
  return cli::run_program({argv + 1, argv + argc});
}
