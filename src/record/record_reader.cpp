#include "record/record_reader.h"

#include "record/json_fields.h"
#include "record/record_scanner.h"

#include <nlohmann/json.hpp>

namespace grapevine::record {
namespace {

LineScan parsed(const RecordVisitor& visit) {
  return [&visit](const RecordLine& line) {
    // What one parser takes the other does too, but for their bugs.
    if (const auto record = parse_json(std::string(line.text))) visit(*record);
  };
}

} // namespace

int64_t read_records(
    const std::filesystem::path& path,
    const RecordVisitor& visit) {
  return scan_records(path, parsed(visit));
}

int64_t read_run_records(const RunDirectory& run, const RecordVisitor& visit) {
  return scan_run_records(run, parsed(visit));
}

} // namespace grapevine::record
