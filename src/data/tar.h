// Reading of .tar.gz archives as a stream, by libarchive.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace grapevine::data {

// Receives the bytes of one member; called with an empty span at its end.
using MemberSink = std::function<void(std::span<const char>)>;

// Walks through the regular files of an archive in order. `open` is asked for
// each, by its full name and size, and gives where its bytes go, or an empty
// function to pass over it. Links, folders and the rest are passed over.
//
// Throws IoError naming the archive: not gzip, truncated, corrupt, a header
// whose checksum is wrong, a sparse file, a name that is absolute or climbs
// (`..`). The checksum of the gzip stream is not verified: whoever needs that
// compares the archive or what comes out of it with a digest.
void read_tar_gz(
    const std::string& path,
    const std::function<MemberSink(const std::string& name, int64_t bytes)>&
        open);

} // namespace grapevine::data
