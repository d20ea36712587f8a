// A run that is over in no time.
#pragma once

#include "run/folder.h"
#include "spec/spec.h"

namespace grapevine::run {

inline spec::Spec tiny_spec(const Folder& folder) {
  spec::Spec spec;
  spec.data = "synthetic";
  spec.synthetic_samples = 96;
  spec.n = 3;
  spec.batch = 8;
  spec.epochs = 1;
  spec.steps = 1;
  spec.lr = 0.1;
  spec.graph = "ring"; // of three: everybody
  spec.probe_every = 1;
  spec.eval_samples = 10;
  spec.threads = 1;
  spec.out = folder / "run";
  return spec;
}

} // namespace grapevine::run
