// Getting a data set's files: downloaded, checked, unpacked.
#pragma once

#include "data/catalogue.h"

#include <cstdint>
#include <functional>
#include <string>

namespace grapevine::data {

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
