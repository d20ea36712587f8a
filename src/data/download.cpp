#include "data/download.h"

#include "base/error.h"
#include "data/file.h"
#include "data/http.h"
#include "data/tar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

namespace grapevine::data {
namespace {

namespace fs = std::filesystem;

// What is wrong with a file that ought to be `published`; empty: nothing.
std::string fault(const std::string& path, const PublishedFile& published) {
  std::error_code missing;
  const auto bytes = fs::file_size(path, missing);
  if (missing) return fmt::format("found no file {}", path);
  if (static_cast<int64_t>(bytes) != published.bytes) {
    return fmt::format(
        "{}: expected {} bytes, found {}",
        published.name,
        published.bytes,
        bytes);
  }
  const auto& checksum = published.checksum;
  const auto found = file_digest(path, checksum.kind);
  if (found == checksum.hex) return {};
  return fmt::format(
      "{}: expected {} {}, found {}",
      published.name,
      checksum.kind_name(),
      checksum.hex,
      found);
}

std::string by_hand(const PublishedSet& set, const std::string& directory) {
  const bool packed = !set.unpacked.empty();
  std::vector<std::string> addresses;
  for (const auto& file : set.files) {
    addresses.push_back(set.base_url + "/" + file.name);
  }
  return fmt::format(
      "; by hand: get {} on a machine with a network and {} {}{}",
      fmt::join(addresses, ", "),
      packed ? "unpack it into" : "put it into",
      directory,
      set.other_way.empty() ? "" : ", or " + set.other_way);
}

// Refuses a commit of what is not as published, and leaves nothing of it.
void commit_checked(PartFile& part, const PublishedFile& published) {
  part.close();
  if (const auto wrong = fault(part.part_path(), published); !wrong.empty()) {
    part.discard();
    throw IoError(wrong);
  }
  part.commit();
}

// One connection: appends to `part` from where it stands.
HttpResult fetch_rest(
    const std::string& url,
    const PublishedFile& published,
    const DownloadOptions& options,
    PartFile& part) {
  HttpRequest request{
      .url = url,
      .offset = part.size(),
      .on_start =
          [&](bool from_offset) {
            if (!from_offset && part.size() > 0) part.restart();
          },
      .on_bytes =
          [&](std::span<const char> bytes) {
            const auto total = part.size() + static_cast<int64_t>(bytes.size());
            if (total > published.bytes) {
              part.discard();
              throw IoError(fmt::format(
                  "{}: expected {} bytes, found more",
                  url,
                  published.bytes));
            }
            part.write(bytes);
            if (options.progress) {
              options.progress({published.name, total, published.bytes});
            }
          },
      .stall_seconds = options.stall_seconds};
  return http_get(request);
}

// The server has no bytes from there on: the part is not of its file.
constexpr long kRangeNotSatisfiable = 416;

bool worth_another_try(const HttpResult& result) {
  const bool refused = result.status >= 400 && result.status < 500;
  return !refused || result.status == kRangeNotSatisfiable;
}

void download(
    const std::string& url,
    const std::string& path,
    const PublishedFile& published,
    const DownloadOptions& options) {
  PartFile part(path, /*keep_old=*/true);
  if (part.size() > published.bytes) part.restart();
  for (int attempt = 1; part.size() < published.bytes; ++attempt) {
    const auto result = fetch_rest(url, published, options, part);
    if (result.complete) break; // shorter than it should be is seen below
    if (result.status == kRangeNotSatisfiable) part.restart();
    if (attempt >= options.attempts || !worth_another_try(result)) {
      const auto kept = part.size();
      if (kept == 0) part.discard();
      throw IoError(fmt::format(
          "cannot get {}: {}{}",
          url,
          result.problem,
          kept > 0 ? fmt::format(
                         " ({} of {} bytes are kept in {}, the same command "
                         "goes on from there)",
                         kept,
                         published.bytes,
                         part.part_path())
                   : std::string()));
    }
  }
  commit_checked(part, published);
}

void unpack(
    const std::string& archive,
    const std::vector<PublishedFile>& wanted,
    const std::string& directory) {
  std::set<std::string> done;
  std::unique_ptr<PartFile> part; // of the member that is being read
  const auto open = [&](const std::string& name, int64_t) -> MemberSink {
    const auto last = fs::path(name).filename().string();
    const auto file = std::find_if(
        wanted.begin(),
        wanted.end(),
        [&](const PublishedFile& published) { return published.name == last; });
    if (file == wanted.end()) return {};
    part = std::make_unique<PartFile>(
        directory + "/" + file->name,
        /*keep_old=*/false);
    return [&, file](std::span<const char> bytes) {
      if (!bytes.empty()) {
        part->write(bytes);
        return;
      }
      commit_checked(*part, *file);
      part.reset();
      done.insert(file->name);
    };
  };
  try {
    read_tar_gz(archive, open);
  } catch (...) {
    if (part) part->discard();
    throw;
  }
  for (const auto& file : wanted) {
    if (!done.contains(file.name)) {
      throw IoError(fmt::format(
          "{}: expected {} inside, found no such file",
          archive,
          file.name));
    }
  }
}

bool all_right(
    const std::vector<PublishedFile>& files,
    const std::string& directory) {
  return std::ranges::all_of(files, [&](const PublishedFile& file) {
    return fault(directory + "/" + file.name, file).empty();
  });
}

void get_files(
    const PublishedSet& set,
    const std::string& directory,
    const DownloadOptions& options) {
  auto base = options.base_url.empty() ? set.base_url : options.base_url;
  while (base.ends_with('/'))
    base.pop_back();
  for (const auto& file : set.files) {
    const auto path = directory + "/" + file.name;
    if (fault(path, file).empty()) continue;
    download(base + "/" + file.name, path, file, options);
  }
  if (set.unpacked.empty()) return;
  for (const auto& file : set.files) {
    const auto archive = directory + "/" + file.name;
    unpack(archive, set.unpacked, directory);
    std::error_code ignored; // a spare archive does no harm
    fs::remove(archive, ignored);
  }
}

} // namespace

bool dataset_is_complete(
    const PublishedSet& set,
    const std::string& directory) {
  return all_right(set.unpacked.empty() ? set.files : set.unpacked, directory);
}

void get_dataset(
    const PublishedSet& set,
    const std::string& directory,
    const DownloadOptions& options) {
  if (dataset_is_complete(set, directory)) return;
  try {
    get_files(set, directory, options);
  } catch (const IoError& error) {
    throw IoError(fmt::format(
        "{}: {}{}",
        set.name,
        error.what(),
        by_hand(set, directory)));
  }
}

void get_dataset(
    const std::string& name,
    const std::string& directory,
    const DownloadOptions& options) {
  get_dataset(published_set(name), directory, options);
}

} // namespace grapevine::data
