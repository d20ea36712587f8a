// The corpora, found cases among them, as ordinary tests.
#include "fuzz/targets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace grapevine::fuzz {
namespace {

namespace fs = std::filesystem;

fs::path corpora() {
  return fs::path(GV_SOURCE_DIR) / "tests/fuzz/corpus";
}

std::vector<uint8_t> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, EveryInputIsReadOrRefused) {
  int inputs = 0;
  for (const auto& entry :
       fs::directory_iterator(corpora() / GetParam().name)) {
    SCOPED_TRACE(entry.path().string());
    const auto bytes = read(entry.path());
    EXPECT_NO_THROW(run(GetParam(), bytes));
    // What a truncated download leaves.
    for (const size_t length : {bytes.size() / 2, bytes.size() - 1}) {
      if (length >= bytes.size()) continue;
      EXPECT_NO_THROW(run(GetParam(), Bytes(bytes).first(length))) << length;
    }
    ++inputs;
  }
  EXPECT_GT(inputs, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Targets,
    Replay,
    testing::ValuesIn(targets()),
    [](const auto& target) { return target.param.name; });

TEST(Corpora, BelongToTargets) {
  for (const auto& entry : fs::directory_iterator(corpora()))
    EXPECT_NE(find_target(entry.path().filename().string()), nullptr)
        << entry.path();
}

} // namespace
} // namespace grapevine::fuzz
