#include "report/trace.h"

#include "record/atomic_file.h"
#include "record/record_scanner.h"
#include "report/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace grapevine::report {
namespace {

using record::RecordLine;

constexpr size_t kBufferBytes = 1 << 16;
constexpr int kTraining = 0;
constexpr int kCommunication = 1;

// A row of a timeline: docs/formats.md.
struct Row {
  std::string_view span;
  int64_t begin = 0;    // microseconds since 1970
  int64_t duration = 0; // microseconds
  int64_t bucket = -1;
  int64_t peer = -1;

  int thread() const { return span == "exchange" ? kCommunication : kTraining; }
};

std::optional<Row> read_row(const simdjson::dom::element& element) {
  simdjson::dom::array fields;
  Row row;
  const bool is_row =
      element.get(fields) == simdjson::SUCCESS && fields.size() >= 5 &&
      fields.at(0).get(row.span) == simdjson::SUCCESS &&
      fields.at(1).get(row.begin) == simdjson::SUCCESS &&
      fields.at(2).get(row.duration) == simdjson::SUCCESS &&
      fields.at(3).get(row.bucket) == simdjson::SUCCESS &&
      fields.at(4).get(row.peer) == simdjson::SUCCESS && row.duration >= 0;
  return is_row ? std::optional(row) : std::nullopt;
}

// visit(worker, row) for every row of a line that is a timeline.
template <typename Visit>
void for_rows(const RecordLine& line, const Visit& visit) {
  if (line.type != "timeline") return;
  int64_t worker = 0;
  simdjson::dom::array events;
  if (line.fields.at_key("worker").get(worker) != simdjson::SUCCESS ||
      line.fields.at_key("events").get(events) != simdjson::SUCCESS) {
    return;
  }
  for (const simdjson::dom::element element : events) {
    if (const auto row = read_row(element)) visit(worker, *row);
  }
}

class TraceWriter {
 public:
  TraceWriter(const std::filesystem::path& file, int64_t begin)
      : file_(file),
        begin_(begin) {
    json_.begin_object();
    json_.field("displayTimeUnit", "ms");
    json_.key("traceEvents");
    json_.begin_array();
  }

  void add(int64_t worker, int64_t step, const Row& row) {
    if (named_.insert(worker).second) name(worker);
    // What takes no time would be invisible as a span.
    const bool is_instant = row.duration == 0 && row.span == "exchange";
    event(row.span, is_instant ? "i" : "X", worker, row.thread(), [&] {
      json_.field("ts", row.begin - begin_);
      if (is_instant) {
        json_.field("s", "t"); // of its thread
      } else {
        json_.field("dur", row.duration);
      }
      json_.object("args", [&] {
        json_.field("step", step);
        if (row.bucket >= 0) json_.field("bucket", row.bucket);
        if (row.peer >= 0) json_.field("peer", row.peer);
      });
    });
    if (json_.size() >= kBufferBytes) file_.write(json_.take());
  }

  void finish() {
    json_.end_array();
    json_.end_object();
    file_.write(json_.take());
    file_.commit();
  }

 private:
  template <typename Write>
  void event(
      std::string_view name,
      const char* phase,
      int64_t worker,
      int thread,
      const Write& write_rest) {
    json_.object([&] {
      json_.field("name", name);
      json_.field("ph", phase);
      json_.field("pid", worker);
      json_.field("tid", thread);
      write_rest();
    });
  }

  void name(int64_t worker) {
    const auto metadata =
        [&](const char* what, int thread, const char* key, const auto& value) {
          event(what, "M", worker, thread, [&] {
            json_.object("args", [&] { json_.field(key, value); });
          });
        };
    metadata(
        "process_name",
        kTraining,
        "name",
        fmt::format("worker {}", worker));
    metadata("process_sort_index", kTraining, "sort_index", worker);
    metadata("thread_name", kTraining, "name", std::string("training"));
    metadata(
        "thread_name",
        kCommunication,
        "name",
        std::string("communication"));
  }

  record::AtomicFile file_;
  int64_t begin_;
  JsonWriter json_;
  std::set<int64_t> named_;
};

} // namespace

int64_t write_trace(
    const record::RunDirectory& run,
    const std::filesystem::path& file) {
  int64_t events = 0;
  int64_t begin = std::numeric_limits<int64_t>::max();
  record::scan_run_records(run, [&](const RecordLine& line) {
    for_rows(line, [&](int64_t, const Row& row) {
      ++events;
      begin = std::min(begin, row.begin);
    });
  });
  if (events == 0) return 0;
  // A run that is still going may have more by now.
  events = 0;
  TraceWriter writer(file, begin);
  record::scan_run_records(run, [&](const RecordLine& line) {
    for_rows(line, [&](int64_t worker, const Row& row) {
      ++events;
      writer.add(worker, line.step, row);
    });
  });
  writer.finish();
  return events;
}

} // namespace grapevine::report
