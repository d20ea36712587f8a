// What the programs that time one process of a job have in common: the flags
// of their gradient, and the way from them to a line of JSON.
#pragma once

#include "net/transports.h"
#include "perf/mlp_gradient.h"
#include "run/worker.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace grapevine::perf {

inline void add_compute_flags(CLI::App& app, ComputeOptions& compute) {
  app.add_option("--widths", compute.widths)->delimiter(',')->required();
  app.add_option("--batch", compute.batch);
  app.add_option_function<std::string>(
         "--compute",
         [&compute](const std::string& kind) {
           compute.sleeps = kind == "sleep";
         })
      ->check(CLI::IsMember({"real", "sleep"}));
  app.add_option("--forward-ms", compute.forward_ms);
  app.add_option("--backward-ms", compute.backward_ms);
  app.add_option("--slow-share", compute.slow_share);
  app.add_option("--slow-rank", compute.slow_rank);
  app.add_option("--slow-factor", compute.slow_factor);
}

// Ends the program where the flags are wrong.
inline void parse_or_exit(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
}

inline std::unique_ptr<MlpGradient> make_gradient(
    const ComputeOptions& compute) {
  if (compute.sleeps) return std::make_unique<SleepingGradient>(compute);
  return std::make_unique<RealGradient>(compute);
}

// The exit code. Only one process of the job prints.
template <typename Job, typename Options>
int run_job(const char* program, const Options& options) {
  try {
    run::use_one_torch_thread();
    Job job(options);
    const nlohmann::json result = job.run();
    if (job.prints()) std::cout << result.dump() << std::endl;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
  }
  net::abandon_mpi(1);
  return 1;
}

} // namespace grapevine::perf
