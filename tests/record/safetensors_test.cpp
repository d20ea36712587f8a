#include "record/safetensors.h"

#include "base/check.h"
#include "base/error.h"
#include "base/random.h"
#include "record/temporary_directory.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace grapevine::record {
namespace {

std::vector<float> pattern(int64_t size, float start) {
  std::vector<float> values(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = start + 0.5f * static_cast<float>(i);
  }
  return values;
}

// A file with this header text and data.
std::string assemble(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

TEST(Safetensors, RoundTrip) {
  const TemporaryDirectory directory;
  for (const int64_t size : {0, 1, 7, 1000, (1 << 20) + 1}) {
    const auto a = pattern(size, 1);
    const auto b = pattern(size * 2, -3);
    const std::vector<float> scalar = {42};
    const std::vector<TensorView> tensors = {
        {"plane.z", {size}, a},
        {"empty", {3, 0}, {}},
        {"plane.a", {2, size}, b},
        {"scalar", {}, scalar}};
    write_safetensors(directory / "x", tensors, {{"step", "7"}});

    const Safetensors loaded = read_safetensors(directory / "x");
    EXPECT_EQ(loaded.metadata.at("step"), "7");
    EXPECT_EQ(loaded.metadata.at(kChecksumKey).size(), 8u);
    ASSERT_EQ(loaded.tensors.size(), 4u);
    EXPECT_EQ(loaded.tensors.at("plane.z").values, a);
    EXPECT_EQ(loaded.tensors.at("plane.a").values, b);
    EXPECT_EQ(
        loaded.tensors.at("plane.a").shape,
        (std::vector<int64_t>{2, size}));
    EXPECT_EQ(loaded.tensors.at("scalar").values, scalar);
    EXPECT_TRUE(loaded.tensors.at("empty").values.empty());
    EXPECT_EQ(get(directory / "x").size() % 4, 0u);
  }
}

TEST(Safetensors, KeepsEveryBit) {
  const TemporaryDirectory directory;
  const std::vector<float> values = {
      -0.0f,
      std::numeric_limits<float>::denorm_min(),
      std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::quiet_NaN()};
  const std::vector<TensorView> tensors = {{"x", {4}, values}};
  write_safetensors(directory / "x", tensors, {});
  const auto loaded = read_safetensors(directory / "x").tensors.at("x").values;
  ASSERT_EQ(loaded.size(), values.size());
  EXPECT_EQ(std::memcmp(loaded.data(), values.data(), 16), 0);
}

TEST(Safetensors, NoTensors) {
  const TemporaryDirectory directory;
  write_safetensors(directory / "x", {}, {});
  EXPECT_TRUE(read_safetensors(directory / "x").tensors.empty());
}

TEST(Safetensors, ForeignFileWithoutMetadata) {
  const TemporaryDirectory directory;
  put(directory / "x",
      assemble(
          R"({"b":{"data_offsets":[4,8],"dtype":"F32","shape":[1]},)"
          R"("a":{"shape":[1,1],"data_offsets":[0,4],"dtype":"F32"}}  )",
          std::string("\0\0\x80\x3f\0\0\0\x40", 8)));
  const Safetensors loaded = read_safetensors(directory / "x");
  EXPECT_EQ(loaded.tensors.at("a").values, std::vector<float>{1});
  EXPECT_EQ(loaded.tensors.at("b").values, std::vector<float>{2});
}

TEST(Safetensors, MistakesOfTheCallerAreChecked) {
  const TemporaryDirectory directory;
  const auto values = pattern(2, 0);
  const std::vector<TensorView> twice = {
      {"a", {2}, values},
      {"a", {2}, values}};
  const std::vector<TensorView> shape = {{"a", {3}, values}};
  const std::vector<TensorView> name = {{"__metadata__", {2}, values}};
  for (const auto& tensors : {twice, shape, name}) {
    EXPECT_THROW(write_safetensors(directory / "x", tensors, {}), CheckFailure);
  }
  EXPECT_THROW(
      write_safetensors(directory / "x", {}, {{kChecksumKey, "0"}}),
      CheckFailure);
  EXPECT_TRUE(names_in(directory.path()).empty());
}

struct BadFile {
  const char* what;
  std::string bytes;
  const char* message;
};

std::string one_tensor(const std::string& description) {
  return assemble("{\"a\":" + description + "}", std::string(8, '\0'));
}

std::string f32(const std::string& shape, const std::string& offsets) {
  return R"({"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}

std::vector<BadFile> bad_files() {
  return {
      {"empty", "", "too short"},
      {"short length", "\1\2\3", "too short"},
      {"length behind the end", assemble("{}", "").substr(0, 9), "in a file"},
      {"huge length", std::string(16, '\xff'), "in a file"},
      {"no object", assemble("[]", ""), "begin with '{'"},
      {"empty header", assemble("", ""), "begin with '{'"},
      {"cut JSON", assemble("{\"a\":", ""), "not valid JSON"},
      {"not UTF-8", assemble("{\"\xff\":1}", ""), "not valid JSON"},
      {"number too large", assemble("{\"a\":1e999}", ""), "not valid JSON"},
      {"deep",
       assemble("{\"a\":" + std::string(100000, '['), ""),
       "too deeply"},
      {"no description", one_tensor("1"), "not described by an object"},
      {"no dtype", one_tensor("{}"), "no dtype"},
      {"half", one_tensor(R"({"dtype":"F16"})"), "is F16; only F32"},
      {"no offsets", one_tensor(R"({"dtype":"F32"})"), "data_offsets"},
      {"negative offsets", one_tensor(f32("[2]", "[-8,0]")), "data_offsets"},
      {"one offset", one_tensor(f32("[2]", "[8]")), "data_offsets"},
      {"no shape",
       one_tensor(R"({"dtype":"F32","data_offsets":[0,8]})"),
       "no shape"},
      {"negative shape", one_tensor(f32("[-2]", "[0,8]")), "bad shape"},
      {"fractional shape", one_tensor(f32("[2.0]", "[0,8]")), "bad shape"},
      {"shape overflows",
       one_tensor(f32("[4611686018427387904,4]", "[0,8]")),
       "overflows"},
      {"shape too large", one_tensor(f32("[3]", "[0,8]")), "takes 12 bytes"},
      {"reversed offsets", one_tensor(f32("[2]", "[0,-8]")), "data_offsets"},
      {"offsets behind the end",
       one_tensor(f32("[4]", "[0,16]")),
       "8 bytes of data, but the header describes 16"},
      {"data left over",
       one_tensor(f32("[1]", "[0,4]")),
       "8 bytes of data, but the header describes 4"},
      {"gap", one_tensor(f32("[1]", "[4,8]")), "begins at 4, not at 0"},
      {"overlap",
       one_tensor(f32("[2]", "[0,8]") + ",\"b\":" + f32("[1]", "[4,8]")),
       "begins at 4, not at 8"},
      {"twice",
       one_tensor(f32("[2]", "[0,8]") + ",\"a\":" + f32("[2]", "[0,8]")),
       "'a' comes twice"},
      {"metadata", assemble(R"({"__metadata__":1})", ""), "not an object"},
      {"metadata value",
       assemble(R"({"__metadata__":{"a":1}})", ""),
       "'a' is not a string"},
      {"checksum",
       assemble(R"({"__metadata__":{"crc32":"00000001"}})", ""),
       "crc32 00000000, should be 00000001"},
  };
}

TEST(Safetensors, BadFilesAreNamedWithTheReason) {
  const TemporaryDirectory directory;
  for (const BadFile& bad : bad_files()) {
    SCOPED_TRACE(bad.what);
    put(directory / "bad.safetensors", bad.bytes);
    EXPECT_THROW_WITH(
        read_safetensors(directory / "bad.safetensors"),
        IoError,
        bad.message);
    EXPECT_THROW_WITH(
        read_safetensors(directory / "bad.safetensors"),
        IoError,
        "bad.safetensors");
  }
  EXPECT_THROW(read_safetensors(directory / "absent"), IoError);
  EXPECT_THROW(read_safetensors(directory.path()), IoError);
}

std::string valid_file(const TemporaryDirectory& directory) {
  const auto a = pattern(12, 1);
  const auto b = pattern(5, 2);
  const std::vector<TensorView> tensors = {
      {"layer.weight", {3, 4}, a},
      {"layer.bias", {5}, b}};
  write_safetensors(
      directory / "valid",
      tensors,
      {{"step", "7"}, {"worker", "0"}});
  return get(directory / "valid");
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const TemporaryDirectory directory;
  const std::string valid = valid_file(directory);
  for (size_t size = 0; size < valid.size(); ++size) {
    put(directory / "cut", valid.substr(0, size));
    EXPECT_THROW(read_safetensors(directory / "cut"), IoError) << size;
  }
  put(directory / "cut", valid + '\0');
  EXPECT_THROW(read_safetensors(directory / "cut"), IoError);
}

TEST(Safetensors, EveryFlippedBitOfTheDataIsFound) {
  const TemporaryDirectory directory;
  const std::string valid = valid_file(directory);
  for (size_t i = valid.size() - 17 * sizeof(float); i < valid.size(); ++i) {
    std::string flipped = valid;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    put(directory / "flipped", flipped);
    EXPECT_THROW_WITH(
        read_safetensors(directory / "flipped"),
        IoError,
        "corrupt");
  }
}

// One random change: a byte, a run of bytes removed, doubled or replaced by
// something that means something in a header.
void mutate(std::string& bytes, Random& random) {
  const size_t at = random.below(bytes.size());
  const size_t length = random.below(8);
  static const std::vector<std::string> kWords = {
      "{",
      "}",
      "[",
      "]",
      "\"",
      ",",
      "-",
      "1e9",
      "null",
      "18446744073709551615",
      "\"F32\"",
      "__metadata__",
      "[[[[[["};
  switch (random.below(5)) {
    case 0:
      bytes[at] = static_cast<char>(random.below(256));
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << length));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(at, bytes.substr(at, length));
      break;
    default:
      bytes.replace(at, length, kWords[random.below(kWords.size())]);
  }
}

TEST(Safetensors, MutationsNeverCrash) {
  const TemporaryDirectory directory;
  const std::string valid = valid_file(directory);
  int refused = 0;
  constexpr int kMutations = 5000;
  for (int i = 0; i < kMutations; ++i) {
    Random random(1, Purpose::kTest, static_cast<uint64_t>(i));
    std::string bytes = valid;
    const uint64_t changes = 1 + random.below(3);
    for (uint64_t c = 0; c < changes && !bytes.empty(); ++c) {
      mutate(bytes, random);
    }
    put(directory / "mutant", bytes);
    try {
      // What is still accepted is still sound.
      for (const auto& [name, tensor] :
           read_safetensors(directory / "mutant").tensors) {
        int64_t elements = 1;
        for (const int64_t extent : tensor.shape)
          elements *= extent;
        EXPECT_EQ(elements, static_cast<int64_t>(tensor.values.size()));
      }
    } catch (const IoError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kMutations / 2);
}

} // namespace
} // namespace grapevine::record
