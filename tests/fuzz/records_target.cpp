#include "fuzz/run_files.h"
#include "record/record_reader.h"

#include <nlohmann/json.hpp>

namespace grapevine::fuzz {

// The input is the record stream of a process. Both readers see it: the plain
// one, and that of the reports, which keeps curves of it.
void read_records(Bytes input) {
  static const RunFiles files;
  files.write_records(input);
  int64_t lines = 0;
  record::read_records(files.records(), [&](const nlohmann::json& record) {
    GV_CHECK(record.at("type").is_string());
    ++lines;
  });
  files.read();
}

} // namespace grapevine::fuzz
