#include "report/run_reader.h"

#include "base/error.h"
#include "base/host_name.h"
#include "record/run_directory.h"
#include "record/run_lock.h"
#include "spec/spec_table.h"

#include <algorithm>

namespace grapevine::report {
namespace {

namespace fs = std::filesystem;

void need(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return;
  throw IoError("no " + file.filename().string());
}

std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return "";
  return found->get<std::string>();
}

bool is_outcome(const std::string& word) {
  static constexpr std::array kOutcomes =
      {"completed", "diverged", "interrupted", "failed", "running"};
  return std::ranges::count(kOutcomes, word) > 0;
}

// A process that was killed leaves "running" behind. It is taken at its word
// unless it is known to be gone: it ran on this machine (a run that does not
// say where it ran counts as such), and nobody holds the run any more.
bool was_killed(const fs::path& run, const nlohmann::json& json) {
  const auto machine = json.find("machine");
  const std::string host = machine != json.end() && machine->is_object()
                               ? text_in(*machine, "host")
                               : "";
  return (host.empty() || host == host_name()) && !record::is_at_work(run);
}

void take_result(RunData& run, const nlohmann::json& json) {
  const auto result = json.find("result");
  run.outcome = text_in(json, "outcome");
  if (result != json.end() && result->is_object()) {
    run.result = *result;
    const std::string outcome = text_in(*result, "outcome");
    if (!outcome.empty()) run.outcome = outcome;
  }
  if (!is_outcome(run.outcome)) {
    throw IoError("run.json says no outcome that is known");
  }
  run.error = text_in(json, "error");
  const double n = run.spec.n;
  run.accuracy = number_in(run.result, "test_accuracy");
  run.averaged_accuracy = number_in(run.result, "averaged_model_accuracy");
  run.consensus_distance = number_in(run.result, "consensus_distance");
  run.bytes_per_worker = number_in(run.result, "bytes") / n;
  run.messages_per_worker = number_in(run.result, "messages") / n;
  run.seconds = number_in(run.result, "seconds");
}

std::string last_name(const fs::path& path) {
  const fs::path plain = path.lexically_normal();
  const fs::path name =
      plain.has_filename() ? plain.filename() : plain.parent_path().filename();
  return name == "." || name.empty()
             ? fs::absolute(path).lexically_normal().filename().string()
             : name.string();
}

} // namespace

RunData read_header(const fs::path& path) {
  const record::RunDirectory directory(path);
  need(directory.spec_file());
  need(directory.run_file());
  RunData run;
  run.path = path.string();
  run.name = last_name(path);
  run.spec = spec::parse_spec(directory.read_spec(), "spec.toml", {}).spec;
  const auto read_result = [&] {
    const auto json = directory.read_run();
    if (!json) throw IoError("no run.json");
    take_result(run, *json);
    return *json;
  };
  const nlohmann::json json = read_result();
  if (run.outcome == "running" && was_killed(path, json)) {
    read_result(); // it may have ended well in between
    if (run.outcome == "running") run.outcome = "interrupted";
  }
  return run;
}

} // namespace grapevine::report
