// The benchmark that runs when no file is given: the text of
// experiments/fashion-mnist-96.toml, put into the program when it is built.
#pragma once

namespace grapevine::cli {

extern const char* const kDefaultBenchName;
extern const char* const kDefaultBench;

} // namespace grapevine::cli
