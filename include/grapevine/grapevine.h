// Decentralized data parallelism for libtorch training loops.
//
//   auto group = grapevine::Group::from_environment();
//   grapevine::DataParallel parallel(
//       *model, group, {.agreement = "adapt-then-combine", .graph = "ring"});
//   …
//   parallel.zero_grad();
//   loss(model->forward(x), y).backward();
//   parallel.step();
//
// The model, its loss and its data stay the user's. examples/ shows it whole.
#pragma once

#include <grapevine/data_parallel.h>
#include <grapevine/group.h>
#include <grapevine/options.h>
