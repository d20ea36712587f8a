#include "data/tar.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace grapevine::data {
namespace {

constexpr int64_t kBlock = 512;

class TarReader {
 public:
  explicit TarReader(const std::string& path)
      : path_(path),
        archive_(archive_read_new(), archive_read_free) {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_format_tar(archive_.get());
    // Reads on after the end mark, so that a cut gzip stream is noticed.
    archive_read_set_options(archive_.get(), "read_concatenated_archives");
    const int result =
        archive_read_open_filename(archive_.get(), path.c_str(), 1 << 18);
    if (result != ARCHIVE_OK) fail_at_header();
    if (archive_filter_code(archive_.get(), 0) != ARCHIVE_FILTER_GZIP) {
      fail("expected a gzip file, found none");
    }
  }

  // Null at the end of the archive.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(archive_.get(), &entry);
    if (result == ARCHIVE_EOF) {
      // The end mark is at least one block of zeros.
      if (position() < end_ + kBlock) fail("truncated: it has no end mark");
      return nullptr;
    }
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) fail_at_header();
    return entry;
  }

  void copy(int64_t bytes, const MemberSink& sink) {
    int64_t done = 0;
    const void* data = nullptr;
    size_t size = 0;
    int64_t offset = 0;
    int result = ARCHIVE_OK;
    while (
        (result =
             archive_read_data_block(archive_.get(), &data, &size, &offset)) ==
        ARCHIVE_OK) {
      if (offset != done) fail("expected a file without holes");
      done += static_cast<int64_t>(size);
      if (sink && size > 0) sink({static_cast<const char*>(data), size});
    }
    if (result != ARCHIVE_EOF || done != bytes) {
      fail(fmt::format("truncated or corrupt: {}", reason()));
    }
    end_ = position();
    if (sink) sink({});
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: {}", path_, what));
  }

 private:
  [[noreturn]] void fail_at_header() const {
    fail(fmt::format(
        "expected a tar header, found something else or a truncated one: {}",
        reason()));
  }
  std::string reason() const {
    const char* text = archive_error_string(archive_.get());
    return text == nullptr ? "the end is missing" : text;
  }
  int64_t position() { return archive_filter_bytes(archive_.get(), 0); }

  std::string path_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  int64_t end_ = 0; // of the last member
};

bool climbs(const std::filesystem::path& name) {
  if (name.empty() || name.is_absolute()) return true;
  return std::find(name.begin(), name.end(), "..") != name.end();
}

} // namespace

void read_tar_gz(
    const std::string& path,
    const std::function<MemberSink(const std::string& name, int64_t bytes)>&
        open) {
  TarReader reader(path);
  while (archive_entry* entry = reader.next()) {
    const bool is_regular = archive_entry_filetype(entry) == AE_IFREG &&
                            archive_entry_hardlink(entry) == nullptr;
    const char* known_name = archive_entry_pathname(entry);
    const std::string name = known_name == nullptr ? "" : known_name;
    if (is_regular && climbs(name)) {
      reader.fail(fmt::format(
          "expected names inside of the archive's folder, found '{}'",
          name));
    }
    const int64_t bytes = archive_entry_size(entry);
    reader.copy(bytes, is_regular ? open(name, bytes) : MemberSink());
  }
}

} // namespace grapevine::data
