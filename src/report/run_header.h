// What a run was, without its records: enough to sort runs into groups before
// the long part is read.
#pragma once

#include "report/run_data.h"

#include <filesystem>

namespace grapevine::report {

// From spec.toml and run.json: everything of RunData but what the records
// hold. Throws an Error whose text is the reason (without the path) where the
// directory is not one that can be reported on: a file is missing or broken,
// of another version, or has keys that this program does not know.
RunData read_header(const std::filesystem::path& path);

} // namespace grapevine::report
