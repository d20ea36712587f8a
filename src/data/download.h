// Getting a data set's files: the catalogue of what can be downloaded, and the
// download itself, checked and unpacked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

// The published checksum of a file. SHA-256 wherever there is one; MD5 only
// tells a broken download, and what comes out of such a file is checked by
// SHA-256 again.
struct Checksum {
  enum class Kind { kSha256, kMd5 };
  Kind kind = Kind::kSha256;
  std::string hex; // lower case

  std::string kind_name() const;
};

// Returns the checksum of the file's bytes, in lower-case hexadecimal. Throws
// IoError.
std::string file_digest(const std::string& path, Checksum::Kind kind);

// One HTTP GET, streamed.
struct HttpRequest {
  std::string url;    // http or https
  int64_t offset = 0; // > 0: asks for the bytes from here on (Range)
  // Called before the first bytes: from_offset says whether the server sends
  // what was asked for (206) or all of it (200).
  std::function<void(bool from_offset)> on_start;
  std::function<void(std::span<const char>)> on_bytes;
  int connect_seconds = 30;
  int stall_seconds = 60; // without a byte, then it is an error
};

struct HttpResult {
  bool complete = false; // else `problem` says what broke
  long status = 0;       // of HTTP; 0: no answer came
  std::string problem;
};

// Returns the outcome; throws only what the callbacks throw. Any thread.
HttpResult http_get(const HttpRequest& request);

struct PublishedFile {
  std::string name;
  int64_t bytes;
  Checksum checksum;
};

struct PublishedSet {
  std::string name;
  std::string base_url; // a file's address is base_url/name
  std::vector<PublishedFile> files;
  // What `files` (one .tar.gz) unpacks to and is kept instead of it, by the
  // last part of the members' names. Empty: the files are kept as they are.
  std::vector<PublishedFile> unpacked;
  std::string other_way; // to get it, for messages; may be empty
};

// Those of data_table() that have files to get.
const std::vector<PublishedSet>& catalogue();

// Throws ConfigError: a name that is not in the catalogue (with the nearest),
// or a set that needs no download.
const PublishedSet& published_set(const std::string& name);

struct DownloadProgress {
  std::string file;
  int64_t bytes_done;
  int64_t bytes_total;
};

struct DownloadOptions {
  std::string base_url =
      {}; // a mirror in place of the set's own; empty = its own
  // Called now and then on the calling thread. What it throws ends the
  // download (and is thrown on); a later call goes on where it stopped.
  std::function<void(const DownloadProgress&)> progress = {};
  // How often a broken connection is taken up again within one call.
  int attempts = 3;
  int stall_seconds = 60; // without a byte, then the connection is broken
};

// Puts the files of a set into `directory` (made where it is not there). A
// file that is there and right is left alone. Bytes go to NAME.part, which an
// interrupted call leaves behind and the next one goes on with (from its
// beginning where the server cannot send a part); size and checksum are
// verified before a file gets its name, and what is wrong is deleted. An
// archive is unpacked, its files verified in the same way, and deleted.
//
// One caller at a time for a directory. Throws ConfigError (unknown name,
// nothing to download) or IoError: the address, what failed, expected and
// found, and how to do it by hand.
void get_dataset(
    const std::string& name,
    const std::string& directory,
    const DownloadOptions& options = {});
void get_dataset(
    const PublishedSet& set,
    const std::string& directory,
    const DownloadOptions& options = {});

// Whether every file of the set is in `directory`, with its checksum.
bool dataset_is_complete(const PublishedSet& set, const std::string& directory);

} // namespace grapevine::data
