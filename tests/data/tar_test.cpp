#include "data/tar.h"

#include "base/error.h"
#include "data/tar_archive.h"
#include "data/temporary_folder.h"

#include <map>

namespace grapevine::data {
namespace {

using Members = std::map<std::string, std::string>;

Members read_all(const std::string& path) {
  Members members;
  read_tar_gz(path, [&](const std::string& name, int64_t) -> MemberSink {
    return [&members, name](std::span<const char> bytes) {
      members[name].append(bytes.begin(), bytes.end());
    };
  });
  return members;
}

class TarTest : public testing::Test {
 protected:
  std::string error(const std::string& bytes) {
    const auto path = folder_.write("a.tar.gz", bytes);
    const auto message = message_of<IoError>([&] { read_all(path); });
    EXPECT_NE(message.find(path), std::string::npos) << message;
    return message;
  }
  TemporaryFolder folder_;
};

TEST_F(TarTest, ReadsFilesOfAnyLength) {
  Members expected;
  std::string archive = tar_member("top/", "", '5');
  for (const size_t length : {0, 1, 511, 512, 513, 600000}) {
    const auto name = "top/" + std::to_string(length);
    std::string bytes(length, '\0');
    for (size_t i = 0; i < length; ++i)
      bytes[i] = static_cast<char>(i * 7);
    expected[name] = bytes;
    archive += tar_member(name, bytes);
  }
  archive += tar_member("top/link", "", '2') + tar_end();
  EXPECT_EQ(read_all(folder_.write("a.tar.gz", gzip(archive))), expected);
}

TEST_F(TarTest, PassesOverWhatIsNotAskedFor) {
  const auto path = folder_.write(
      "a.tar.gz",
      gzip(tar_member("a", "aaa") + tar_member("b", "bbb") + tar_end()));
  std::string got;
  read_tar_gz(path, [&](const std::string& name, int64_t bytes) -> MemberSink {
    EXPECT_EQ(bytes, 3);
    if (name == "a") return {};
    return [&](std::span<const char> part) {
      got.append(part.begin(), part.end());
    };
  });
  EXPECT_EQ(got, "bbb");
}

TEST_F(TarTest, RefusesNamesThatClimb) {
  for (const std::string name : {"../x", "/etc/x", "a/../../x", "a/.."}) {
    const auto message = error(gzip(tar_member(name, "x") + tar_end()));
    EXPECT_NE(message.find("'" + name + "'"), std::string::npos) << message;
  }
  EXPECT_NO_THROW(read_all(folder_.write(
      "a.tar.gz",
      gzip(tar_member("a..b/..c", "x") + tar_end()))));
}

TEST_F(TarTest, EveryTruncationIsSeen) {
  const auto archive = tar_member("a", "aaa");
  for (const size_t length : {0, 1, 511, 512, 513, 1023, 1024}) {
    EXPECT_NE(
        error(gzip(archive.substr(0, length))).find("truncated"),
        std::string::npos);
  }
  const auto packed = gzip(archive + tar_end());
  for (size_t length = 0; length < packed.size(); ++length) {
    const auto path =
        folder_.write("a.tar.gz", std::string_view(packed).substr(0, length));
    EXPECT_THROW(read_all(path), IoError) << length;
  }
}

TEST_F(TarTest, RefusesWhatIsNoArchive) {
  EXPECT_NE(
      error(gzip(std::string(2048, 'x'))).find("expected a tar header"),
      std::string::npos);
  EXPECT_NE(
      error(tar_member("a", "plain") + tar_end()).find("expected a gzip file"),
      std::string::npos);
  auto flipped = tar_member("a", "aaa") + tar_end();
  flipped[0] = 'b';
  EXPECT_NE(
      error(gzip(flipped)).find("expected a tar header"),
      std::string::npos);
  EXPECT_THROW(read_all(folder_ / "none.tar.gz"), IoError);
}

} // namespace
} // namespace grapevine::data
