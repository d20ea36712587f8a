// The append-only stream of one process: JSON lines, each with "type".
// docs/formats.md lists the types; record/record_reader.h reads them.
//
// A line is written whole or, after a crash, recognisably cut: readers skip a
// last line without its newline. A file that is opened again after a crash
// gets that newline first, so that nothing is glued to the cut line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <memory>

namespace grapevine::record {

// Buffered; flushed by flush(), by the destructor and when much has gathered.
// Any thread may append. One writer a file. While it lives it holds a shared
// lock on the file, by which others see that somebody writes
// (record/run_lock.h).
class RecordWriter {
 public:
  // Opens for appending; a new file begins with a "format" line. IoError if
  // it cannot.
  explicit RecordWriter(const std::filesystem::path& path);
  // Flushes; an error that it meets is lost, so flush() before.
  ~RecordWriter();

  // `record` is an object with a string "type" (checked). NaN and infinities
  // become null. May flush, and throws like flush().
  void append(const nlohmann::json& record);
  // To the operating system, where a killed process loses nothing. IoError on
  // a full disk; the first error stays: every later append() and flush()
  // throws it again and writes nothing. The file ends behind a whole line.
  void flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine::record
