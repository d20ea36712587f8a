#include "base/check.h"
#include "record/atomic_file.h"
#include "record/safetensors.h"

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <set>

namespace grapevine::record {
namespace {

static_assert(
    std::endian::native == std::endian::little,
    "safetensors is little-endian, and values are written as they lie");

// As the reference implementation does, so that the data are aligned in a
// mapped file.
constexpr size_t kHeaderAlignment = 8;

void check_tensors(std::span<const TensorView> tensors) {
  std::set<std::string_view> names;
  for (const TensorView& tensor : tensors) {
    GV_CHECK(tensor.name != "__metadata__");
    GV_CHECK(names.insert(tensor.name).second);
    int64_t elements = 1;
    for (const int64_t extent : tensor.shape)
      elements *= extent;
    GV_CHECK_EQ(elements, static_cast<int64_t>(tensor.values.size()));
  }
}

std::string checksum(std::span<const TensorView> tensors) {
  uLong crc = crc32_z(0, nullptr, 0);
  for (const TensorView& tensor : tensors) {
    const auto bytes = std::as_bytes(tensor.values);
    if (bytes.empty()) continue; // a null pointer would start over
    crc = crc32_z(
        crc,
        reinterpret_cast<const Bytef*>(bytes.data()),
        bytes.size());
  }
  return fmt::format("{:08x}", crc);
}

std::string header(
    std::span<const TensorView> tensors,
    const Metadata& metadata) {
  Metadata complete = metadata;
  GV_CHECK(complete.emplace(kChecksumKey, checksum(tensors)).second);
  nlohmann::ordered_json json;
  json["__metadata__"] = complete;
  uint64_t begin = 0;
  for (const TensorView& tensor : tensors) {
    const uint64_t end = begin + tensor.values.size_bytes();
    json[tensor.name] = {
        {"dtype", "F32"},
        {"shape", tensor.shape},
        {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = json.dump();
  const size_t past = text.size() % kHeaderAlignment;
  if (past != 0) text.append(kHeaderAlignment - past, ' ');
  return text;
}

} // namespace

void write_safetensors(
    const std::filesystem::path& path,
    std::span<const TensorView> tensors,
    const Metadata& metadata) {
  check_tensors(tensors);
  const std::string text = header(tensors, metadata);
  const uint64_t length = text.size();

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const TensorView& tensor : tensors) {
    file.write(std::as_bytes(tensor.values));
  }
  file.commit();
}

} // namespace grapevine::record
