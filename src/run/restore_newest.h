// Which of a run's checkpoints is taken up: the newest that can be used.
#pragma once

#include "record/checkpoint.h"

#include <functional>
#include <optional>
#include <string>

namespace grapevine::run {

// What stands in the way of a checkpoint; empty where it has been restored.
using Restore = std::function<std::string(const record::CheckpointInfo&)>;

// Calls `restore` for a checkpoint of so many workers. An IoError, or a state
// in its manifest that is not as it should be, is what stands in the way.
std::string try_restore(
    const record::CheckpointInfo& checkpoint,
    int workers,
    const std::function<void(const record::CheckpointInfo&)>& restore);

// Restores the newest that can be, and returns it; nothing where there is no
// checkpoint. IoError where there are some and none can be used.
std::optional<record::CheckpointInfo> restore_newest(
    const record::Checkpoints& checkpoints,
    const Restore& restore);

} // namespace grapevine::run
