#include "fuzz/run_files.h"

namespace grapevine::fuzz {

// The input is run.json.
void read_run(Bytes input) {
  static const RunFiles files;
  files.write_run(input);
  files.read();
}

} // namespace grapevine::fuzz
