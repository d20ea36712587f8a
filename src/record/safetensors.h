// The safetensors format, float32 only: an 8-byte length, a JSON header, the
// data. https://huggingface.co/docs/safetensors; Python reads it. The bytes
// are in docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace grapevine::record {

struct TensorView {
  std::string name;
  std::vector<int64_t> shape;
  std::span<const float> values; // product of shape
};

using Metadata = std::map<std::string, std::string>;

// The key under which the writer adds the checksum of the data: crc32 as 8
// lower-case hexadecimal digits. Not for callers to set.
inline constexpr const char* kChecksumKey = "crc32";

// Atomically; IoError. The data lie in the order given. Names are distinct,
// valid UTF-8 and not "__metadata__" (checked).
void write_safetensors(
    const std::filesystem::path& path,
    std::span<const TensorView> tensors,
    const Metadata& metadata);

struct LoadedTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

struct Safetensors {
  Metadata metadata;
  std::map<std::string, LoadedTensor> tensors;
};

// Everything is checked: header length, offsets, shapes, dtype, file size,
// and the checksum where there is one. IoError names the file and what is
// wrong; no input makes it crash, or allocate more than in proportion to the
// file's size.
Safetensors read_safetensors(const std::filesystem::path& path);

} // namespace grapevine::record
