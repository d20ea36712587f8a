#include "fuzz/support.h"
#include "record/safetensors.h"

#include <cstring>

namespace grapevine::fuzz {
namespace {

// By bits: a NaN is a value like any other here.
bool same(const record::LoadedTensor& a, const record::LoadedTensor& b) {
  return a.shape == b.shape && a.values.size() == b.values.size() &&
         (a.values.empty() || std::memcmp(
                                  a.values.data(),
                                  b.values.data(),
                                  a.values.size() * sizeof(float)) == 0);
}

} // namespace

// What was read is written and read again.
void read_safetensors(Bytes input) {
  static const Folder folder;
  auto loaded =
      record::read_safetensors(folder.write("input.safetensors", input));
  std::vector<record::TensorView> views;
  for (const auto& [name, tensor] : loaded.tensors)
    views.push_back({name, tensor.shape, tensor.values});
  loaded.metadata.erase(record::kChecksumKey);
  const auto copy = folder.path() / "copy.safetensors";
  record::write_safetensors(copy, views, loaded.metadata);
  auto again = record::read_safetensors(copy);
  again.metadata.erase(record::kChecksumKey);
  GV_CHECK(again.metadata == loaded.metadata);
  GV_CHECK_EQ(again.tensors.size(), loaded.tensors.size());
  for (const auto& [name, tensor] : loaded.tensors)
    GV_CHECK(same(tensor, again.tensors.at(name)));
}

} // namespace grapevine::fuzz
