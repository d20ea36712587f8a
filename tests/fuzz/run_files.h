// A small run directory of which one file is replaced by an input.
#pragma once

#include "fuzz/support.h"
#include "report/run_generator.h"
#include "report/run_reader.h"

namespace grapevine::fuzz {

class RunFiles {
 public:
  RunFiles() {
    report::RunGenerator(
        directory_.path(),
        {.n = 4, .steps = 4, .steps_per_epoch = 2, .probe_every = 2})
        .write();
  }

  std::filesystem::path records() const { return directory_.records(0); }
  void write_run(Bytes bytes) const { folder_.write("run/run.json", bytes); }
  void write_records(Bytes bytes) const {
    folder_.write("run/records/process-0.jsonl", bytes);
  }

  // As a report does: a short curve, so that its points are merged, and all
  // the detail.
  void read() const {
    auto run = report::read_header(directory_.path());
    report::read_run(run, {.points = 4, .detail = true});
  }

 private:
  Folder folder_;
  record::RunDirectory directory_{folder_.path() / "run"};
};

} // namespace grapevine::fuzz
