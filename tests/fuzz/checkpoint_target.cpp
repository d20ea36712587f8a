#include "fuzz/support.h"
#include "record/checkpoint.h"

namespace grapevine::fuzz {
namespace {

struct Run {
  Run() : directory(folder.path()), checkpoints(directory) {
    const float values[] = {1, 2};
    const record::TensorView plane = {"parameters", {2}, values};
    for (int worker = 0; worker < 2; ++worker)
      checkpoints.write_worker(3, worker, std::span(&plane, 1));
  }

  Folder folder;
  record::RunDirectory directory;
  record::Checkpoints checkpoints;
};

} // namespace

// The input is the manifest of two workers' files, which are whole.
void read_checkpoint(Bytes input) {
  static const Run run;
  run.folder.write("checkpoints/step-00000003/manifest.json", input);
  for (const auto& info : run.checkpoints.list()) {
    GV_CHECK_EQ(info.step, 3);
    GV_CHECK_EQ(static_cast<int>(info.file_bytes.size()), info.workers);
    for (int worker = 0; worker < info.workers; ++worker)
      run.checkpoints.read_worker(info, worker);
  }
}

} // namespace grapevine::fuzz
