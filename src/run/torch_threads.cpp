#include "run/torch_threads.h"

#include <dlfcn.h>
#include <torch/torch.h>

namespace grapevine::run {

void use_one_torch_thread() {
  at::set_num_threads(1);
  // OpenBLAS built with pthreads does not listen to OpenMP's setting.
  using SetThreads = void (*)(int);
  static const auto set_blas_threads = reinterpret_cast<SetThreads>(
      dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set_blas_threads != nullptr) set_blas_threads(1);
}

} // namespace grapevine::run
