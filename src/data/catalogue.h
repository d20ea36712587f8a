// What can be downloaded: addresses, sizes and checksums.
#pragma once

#include "data/checksum.h"

#include <cstdint>
#include <string>
#include <vector>

namespace grapevine::data {

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

} // namespace grapevine::data
