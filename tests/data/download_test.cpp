#include "data/download.h"

#include "base/error.h"
#include "base/sha256.h"
#include "data/http_server.h"
#include "data/source.h"
#include "data/tar_archive.h"
#include "data/temporary_folder.h"

#include <filesystem>
#include <set>

namespace grapevine::data {
namespace {

using Requests = std::vector<std::string>;

std::string pattern(size_t length, unsigned salt) {
  std::string bytes(length, '\0');
  for (size_t i = 0; i < length; ++i) {
    bytes[i] = static_cast<char>(i * 31 + (i >> 8) + salt);
  }
  return bytes;
}

PublishedFile published(const std::string& name, const std::string& bytes) {
  return {
      name,
      static_cast<int64_t>(bytes.size()),
      {Checksum::Kind::kSha256, sha256_hex(bytes)}};
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

class DownloadTest : public testing::Test {
 protected:
  DownloadTest() : server_({{"a.gz", a_}, {"b.gz", b_}}) {}

  PublishedSet set() {
    return {
        .name = "toy",
        .base_url = server_.url(),
        .files = {published("a.gz", a_), published("b.gz", b_)},
        .unpacked = {},
        .other_way = "`make toys`"};
  }
  void expect_there() {
    EXPECT_EQ(read_text(folder_ / "a.gz"), a_);
    EXPECT_EQ(read_text(folder_ / "b.gz"), b_);
    EXPECT_EQ(
        names_in(folder_.path()),
        (std::set<std::string>{"a.gz", "b.gz"}));
  }
  std::string error(const DownloadOptions& options = {}) {
    return message_of<IoError>(
        [&] { get_dataset(set(), folder_.path(), options); });
  }

  const std::string a_ = pattern(300000, 1);
  const std::string b_ = pattern(1000, 2);
  HttpServer server_;
  TemporaryFolder folder_;
};

TEST_F(DownloadTest, GetsWhatIsMissing) {
  EXPECT_FALSE(dataset_is_complete(set(), folder_.path()));
  get_dataset(set(), folder_.path());
  expect_there();
  EXPECT_TRUE(dataset_is_complete(set(), folder_.path()));
  EXPECT_EQ(server_.requests(), (Requests{"a.gz", "b.gz"}));
  get_dataset(set(), folder_.path());
  EXPECT_EQ(server_.requests().size(), 2); // nothing more was asked for
}

TEST_F(DownloadTest, GetsOnlyTheWrongFileAgain) {
  get_dataset(set(), folder_.path());
  folder_.write("b.gz", pattern(1000, 3));
  get_dataset(set(), folder_.path());
  expect_there();
  EXPECT_EQ(server_.requests(), (Requests{"a.gz", "b.gz", "b.gz"}));
}

TEST_F(DownloadTest, MakesTheFolder) {
  get_dataset(set(), folder_ / "x/y");
  EXPECT_EQ(read_text(folder_ / "x/y/a.gz"), a_);
}

TEST_F(DownloadTest, TakesAMirror) {
  auto elsewhere = set();
  elsewhere.base_url = "http://127.0.0.1:1";
  get_dataset(elsewhere, folder_.path(), {.base_url = server_.url() + "/"});
  expect_there();
}

TEST_F(DownloadTest, ReportsProgress) {
  std::vector<DownloadProgress> seen;
  get_dataset(
      set(),
      folder_.path(),
      {.progress = [&](const DownloadProgress& now) { seen.push_back(now); }});
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().file, "a.gz");
  EXPECT_EQ(seen.front().bytes_total, 300000);
  EXPECT_EQ(seen.back().file, "b.gz");
  EXPECT_EQ(seen.back().bytes_done, 1000);
}

TEST_F(DownloadTest, AThrowingProgressEndsItAndTheNextCallGoesOn) {
  struct Interrupted {};
  const auto interrupt = [](const DownloadProgress&) { throw Interrupted(); };
  EXPECT_THROW(
      get_dataset(set(), folder_.path(), {.progress = interrupt}),
      Interrupted);
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"a.gz.part"});
  const auto kept = std::filesystem::file_size(folder_ / "a.gz.part");
  EXPECT_GT(kept, 0);
  get_dataset(set(), folder_.path());
  expect_there();
  EXPECT_EQ(server_.requests()[1], "a.gz from " + std::to_string(kept));
}

TEST_F(DownloadTest, ResumesWithinACall) {
  server_.set({.cut_after = 100000, .cuts = 2});
  get_dataset(set(), folder_.path());
  expect_there();
  EXPECT_EQ(
      server_.requests(),
      (Requests{"a.gz", "a.gz from 100000", "a.gz from 200000", "b.gz"}));
}

TEST_F(DownloadTest, ResumesInALaterCall) {
  server_.set({.cut_after = 150000, .cuts = 1});
  const auto message = error({.attempts = 1});
  EXPECT_SAYS(message, "cannot get " + server_.url() + "/a.gz");
  EXPECT_SAYS(message, "150000 of 300000 bytes are kept");
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"a.gz.part"});
  get_dataset(set(), folder_.path());
  expect_there();
  EXPECT_EQ(server_.requests()[1], "a.gz from 150000");
}

TEST_F(DownloadTest, StartsOverWithoutRanges) {
  server_.set({.ranges = false, .cut_after = 150000, .cuts = 1});
  get_dataset(set(), folder_.path());
  expect_there();
}

TEST_F(DownloadTest, AWholePartNeedsNoRequest) {
  folder_.write("a.gz.part", a_);
  get_dataset(set(), folder_.path());
  expect_there();
  EXPECT_EQ(server_.requests(), Requests{"b.gz"});
}

TEST_F(DownloadTest, ATooLongPartIsLeftOut) {
  folder_.write("a.gz.part", a_ + "x");
  get_dataset(set(), folder_.path());
  expect_there();
}

TEST_F(DownloadTest, AForeignPartIsSeenAndDeleted) {
  folder_.write("a.gz.part", pattern(1000, 9));
  const auto message = error();
  EXPECT_SAYS(message, "expected sha256 " + sha256_hex(a_) + ", found ");
  EXPECT_TRUE(names_in(folder_.path()).empty());
  get_dataset(set(), folder_.path());
  expect_there();
}

TEST_F(DownloadTest, WrongBytesNeverGetTheName) {
  server_.set_file("a.gz", pattern(300000, 7));
  EXPECT_SAYS(error(), "a.gz: expected sha256");
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

TEST_F(DownloadTest, ShorterAndLongerFilesAreRefused) {
  server_.set_file("a.gz", pattern(299999, 1));
  EXPECT_SAYS(error(), "expected 300000 bytes, found 299999");
  EXPECT_TRUE(names_in(folder_.path()).empty());
  server_.set_file("a.gz", pattern(300001, 1));
  EXPECT_SAYS(error(), "expected 300000 bytes, found more");
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

TEST_F(DownloadTest, APartBeyondTheServersFileStartsOver) {
  server_.set_file("a.gz", a_.substr(0, 1000));
  folder_.write("a.gz.part", a_.substr(0, 2000));
  EXPECT_SAYS(error(), "expected 300000 bytes, found 1000");
  EXPECT_EQ(server_.requests(), (Requests{"a.gz from 2000", "a.gz"}));
}

TEST_F(DownloadTest, SaysWhatTheServerSaid) {
  server_.set({.status = 404});
  EXPECT_SAYS(error(), "404");
  EXPECT_EQ(server_.requests().size(), 1); // no use in asking again
  server_.set({.status = 503});
  EXPECT_SAYS(error({.attempts = 2}), "503");
  EXPECT_EQ(server_.requests().size(), 3);
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

TEST_F(DownloadTest, WithoutANetworkSaysWhatToDoByHand) {
  auto elsewhere = set();
  elsewhere.base_url = "http://no-such-host.invalid/toys";
  const auto message = message_of<IoError>(
      [&] { get_dataset(elsewhere, folder_.path(), {.attempts = 1}); });
  EXPECT_SAYS(message, "toy: cannot get http://no-such-host.invalid/toys/a.gz");
  EXPECT_SAYS(message, "no-such-host.invalid");
  EXPECT_SAYS(message, "by hand");
  EXPECT_SAYS(message, "toys/b.gz");
  EXPECT_SAYS(message, folder_.path());
  EXPECT_SAYS(message, "`make toys`");
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

TEST_F(DownloadTest, AFolderThatCannotBeMade) {
  folder_.write("file", "");
  const auto message =
      message_of<IoError>([&] { get_dataset(set(), folder_ / "file/x"); });
  EXPECT_SAYS(message, "cannot make the folder");
}

class ArchiveTest : public testing::Test {
 protected:
  ArchiveTest() : server_({{"toys.tar.gz", archive_}}) {}

  PublishedSet set() {
    const auto bytes = archive_;
    return {
        .name = "toys",
        .base_url = server_.url(),
        .files = {published("toys.tar.gz", bytes)},
        .unpacked = {published("a.bin", a_), published("b.bin", b_)},
        .other_way = ""};
  }
  // What the server has from now on is also what the set expects.
  void serve(const std::string& archive) {
    archive_ = gzip(archive);
    server_.set_file("toys.tar.gz", archive_);
  }

  const std::string a_ = pattern(70000, 1);
  const std::string b_ = pattern(512, 2);
  std::string archive_ = gzip(
      tar_member("toys/", "", '5') + tar_member("toys/readme", "hello") +
      tar_member("toys/a.bin", a_) + tar_member("toys/b.bin", b_) + tar_end());
  HttpServer server_;
  TemporaryFolder folder_;
};

TEST_F(ArchiveTest, UnpacksChecksAndTidiesUp) {
  get_dataset(set(), folder_.path());
  EXPECT_EQ(read_text(folder_ / "a.bin"), a_);
  EXPECT_EQ(read_text(folder_ / "b.bin"), b_);
  EXPECT_EQ(
      names_in(folder_.path()),
      (std::set<std::string>{"a.bin", "b.bin"}));
  get_dataset(set(), folder_.path());
  EXPECT_EQ(server_.requests(), Requests{"toys.tar.gz"});
}

TEST_F(ArchiveTest, AnArchivePutThereByHandIsUsed) {
  folder_.write("toys.tar.gz", archive_);
  get_dataset(set(), folder_.path());
  EXPECT_EQ(read_text(folder_ / "a.bin"), a_);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(ArchiveTest, WrongContentsNeverGetTheirName) {
  serve(
      tar_member("toys/b.bin", b_) +
      tar_member("toys/a.bin", pattern(70000, 5)) + tar_end());
  const auto message =
      message_of<IoError>([&] { get_dataset(set(), folder_.path()); });
  EXPECT_SAYS(message, "a.bin: expected sha256");
  EXPECT_FALSE(names_in(folder_.path()).contains("a.bin"));
  EXPECT_FALSE(names_in(folder_.path()).contains("a.bin.part"));
}

TEST_F(ArchiveTest, MissingContents) {
  serve(tar_member("toys/a.bin", a_) + tar_end());
  EXPECT_SAYS(
      message_of<IoError>([&] { get_dataset(set(), folder_.path()); }),
      "expected b.bin inside, found no such file");
}

TEST_F(ArchiveTest, TruncatedContentsLeaveNoPart) {
  serve(tar_member("toys/a.bin", a_).substr(0, 40000));
  EXPECT_SAYS(
      message_of<IoError>([&] { get_dataset(set(), folder_.path()); }),
      "truncated");
  EXPECT_EQ(names_in(folder_.path()), std::set<std::string>{"toys.tar.gz"});
}

TEST_F(ArchiveTest, NamesThatClimbAreRefused) {
  serve(tar_member("../a.bin", a_) + tar_end());
  EXPECT_SAYS(
      message_of<IoError>([&] { get_dataset(set(), folder_ / "in"); }),
      "'../a.bin'");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.bin"));
}

TEST(Catalogue, FitsTheTableOfDataSets) {
  for (const auto& set : catalogue()) {
    EXPECT_EQ(data_entry(set.name).name, set.name);
    for (const auto& file : set.files)
      EXPECT_GT(file.bytes, 0);
  }
  EXPECT_EQ(published_set("cifar10").unpacked.size(), 6);
  EXPECT_THROW(published_set("synthetic"), ConfigError);
  EXPECT_THROW(published_set("cifar-10"), ConfigError);
  EXPECT_THROW(get_dataset("cifar11", "/nonexistent"), ConfigError);
}

TEST(Checksum, KnownDigests) {
  const TemporaryFolder folder;
  const auto path = folder.write("f", "abc");
  EXPECT_EQ(
      file_digest(path, Checksum::Kind::kMd5),
      "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(
      file_digest(path, Checksum::Kind::kSha256),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(file_digest(folder / "none", Checksum::Kind::kMd5), IoError);
}

} // namespace
} // namespace grapevine::data
