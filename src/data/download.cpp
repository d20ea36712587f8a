#include "data/download.h"

#include "base/check.h"
#include "base/error.h"
#include "base/names.h"
#include "data/file.h"
#include "data/source.h"
#include "data/tar.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace grapevine::data {

std::string Checksum::kind_name() const {
  return kind == Kind::kSha256 ? "sha256" : "md5";
}

std::string file_digest(const std::string& path, Checksum::Kind kind) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"),
      std::fclose);
  if (!file) {
    throw IoError(fmt::format("{}: cannot open: {}", path, strerror(errno)));
  }
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
      EVP_MD_CTX_new(),
      EVP_MD_CTX_free);
  const EVP_MD* method =
      kind == Checksum::Kind::kSha256 ? EVP_sha256() : EVP_md5();
  GV_CHECK_EQ(EVP_DigestInit_ex(context.get(), method, nullptr), 1);
  std::vector<unsigned char> block(1 << 18);
  size_t got = 0;
  while ((got = std::fread(block.data(), 1, block.size(), file.get())) > 0) {
    GV_CHECK_EQ(EVP_DigestUpdate(context.get(), block.data(), got), 1);
  }
  if (std::ferror(file.get()) != 0) {
    throw IoError(fmt::format("{}: cannot read: {}", path, strerror(errno)));
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  GV_CHECK_EQ(EVP_DigestFinal_ex(context.get(), digest, &length), 1);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += fmt::format("{:02x}", digest[i]);
  }
  return hex;
}

namespace {

// One transfer, as curl's callbacks see it.
struct Transfer {
  CURL* curl;
  const HttpRequest& request;
  bool started = false;
  std::exception_ptr failure; // exceptions may not pass through C
};

long status_of(CURL* curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

size_t receive(char* bytes, size_t, size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  try {
    if (!transfer.started) {
      transfer.started = true;
      transfer.request.on_start(status_of(transfer.curl) == 206);
    }
    transfer.request.on_bytes({bytes, count});
    return count;
  } catch (...) {
    transfer.failure = std::current_exception();
    return 0; // curl gives up
  }
}

void initialise_curl() {
  static std::once_flag once; // curl's own global state wants this
  std::call_once(once, [] {
    GV_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
  });
}

void set_options(CURL* curl, const HttpRequest& request) {
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  curl_easy_setopt(
      curl,
      CURLOPT_REDIR_PROTOCOLS,
      CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "grapevine");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, long{request.connect_seconds});
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, long{request.stall_seconds});
  if (request.offset > 0) {
    // Not CURLOPT_RESUME_FROM: that one fails where the server sends it all.
    curl_easy_setopt(
        curl,
        CURLOPT_RANGE,
        fmt::format("{}-", request.offset).c_str());
  }
}

} // namespace

HttpResult http_get(const HttpRequest& request) {
  initialise_curl();
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(
      curl_easy_init(),
      curl_easy_cleanup);
  GV_CHECK(curl != nullptr);
  Transfer transfer{.curl = curl.get(), .request = request, .failure = {}};
  char message[CURL_ERROR_SIZE] = "";
  set_options(curl.get(), request);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.failure) std::rethrow_exception(transfer.failure);
  return {
      .complete = code == CURLE_OK,
      .status = status_of(curl.get()),
      .problem = message[0] != '\0' ? message : curl_easy_strerror(code)};
}

namespace {

Checksum sha256(const char* hex) {
  return {Checksum::Kind::kSha256, hex};
}

Checksum md5(const char* hex) {
  return {Checksum::Kind::kMd5, hex};
}

// The originals, not Debian's files: those lack the name in the gzip header.
PublishedSet fashion_mnist() {
  return {
      .name = "fashion-mnist",
      .base_url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
      .files =
          {{"train-images-idx3-ubyte.gz",
            26421880,
            sha256("3aede38d61863908ad78613f6a32ed27"
                   "1626dd12800ba2636569512369268a84")},
           {"train-labels-idx1-ubyte.gz",
            29515,
            sha256("a04f17134ac03560a47e3764e11b92fc"
                   "97de4d1bfaf8ba1a3aa29af54cc90845")},
           {"t10k-images-idx3-ubyte.gz",
            4422102,
            sha256("346e55b948d973a97e58d2351dde16a4"
                   "84bd415d4595297633bb08f03db6a073")},
           {"t10k-labels-idx1-ubyte.gz",
            5148,
            sha256("67da17c76eaffca5446c3361aaab5c3c"
                   "d6d1c2608764d35dfb1850b086bf8dd5")}},
      .unpacked = {},
      .other_way = "`apt-get install dataset-fashion-mnist`"};
}

PublishedSet cifar10() {
  constexpr int64_t kBytes = 30730000;
  return {
      .name = "cifar10",
      .base_url = "https://www.cs.toronto.edu/~kriz",
      .files =
          {{"cifar-10-binary.tar.gz",
            170052171,
            md5("c32a1d4ab5d03f1284b67883e8d87530")}},
      .unpacked =
          {{"data_batch_1.bin",
            kBytes,
            sha256("cee916563c9f80d84e3cc88e17fdc094"
                   "1787f1244f00a67874d45b261883ada5")},
           {"data_batch_2.bin",
            kBytes,
            sha256("a591ca11fa1708a91ee40f54b3da4784"
                   "ccd871ecf2137de63f51ada8b3fa57ed")},
           {"data_batch_3.bin",
            kBytes,
            sha256("bbe8596564c0f86427f876058170b84d"
                   "ac6670ddf06d79402899d93ceea26f67")},
           {"data_batch_4.bin",
            kBytes,
            sha256("014e562d6e23c72197cc727519169a60"
                   "359f5eccd8945ad5a09d710285ff4e48")},
           {"data_batch_5.bin",
            kBytes,
            sha256("755304fc0b379caeae8c14f0dac912fb"
                   "c7d6cd469eb67a1029a08a39453a9add")},
           {"test_batch.bin",
            kBytes,
            sha256("8e2eb146ae340b09e24670f29cabc632"
                   "6dba54da8789dab6768acf480273f65b")}},
      .other_way = ""};
}

// tiny-shakespeare, as published with char-rnn.
PublishedSet text() {
  return {
      .name = "text",
      .base_url =
          "https://raw.githubusercontent.com/karpathy/char-rnn/master/"
          "data/tinyshakespeare",
      .files =
          {{"input.txt",
            1115394,
            sha256("86c4e6aa9db7c042ec79f339dcb96d42"
                   "b0075e16b8fc2e86bf0ca57e2dc565ed")}},
      .unpacked = {},
      .other_way = ""};
}

} // namespace

const std::vector<PublishedSet>& catalogue() {
  static const std::vector<PublishedSet> sets = {
      fashion_mnist(),
      cifar10(),
      text()};
  return sets;
}

const PublishedSet& published_set(const std::string& name) {
  for (const auto& set : catalogue()) {
    if (set.name == name) return set;
  }
  const auto& entry = data_entry(name);
  throw ConfigError(fmt::format(
      "data set '{}' has nothing to download{}",
      entry.name,
      entry.how_to_get.empty() ? "" : "; it comes by " + entry.how_to_get));
}

namespace {

namespace fs = std::filesystem;

// What is wrong with a file that ought to be `published`; empty: nothing.
std::string fault(const std::string& path, const PublishedFile& published) {
  std::error_code missing;
  const auto bytes = fs::file_size(path, missing);
  if (missing) return fmt::format("found no file {}", path);
  if (static_cast<int64_t>(bytes) != published.bytes) {
    return fmt::format(
        "{}: expected {} bytes, found {}",
        published.name,
        published.bytes,
        bytes);
  }
  const auto& checksum = published.checksum;
  const auto found = file_digest(path, checksum.kind);
  if (found == checksum.hex) return {};
  return fmt::format(
      "{}: expected {} {}, found {}",
      published.name,
      checksum.kind_name(),
      checksum.hex,
      found);
}

std::string by_hand(const PublishedSet& set, const std::string& directory) {
  const bool packed = !set.unpacked.empty();
  std::vector<std::string> addresses;
  for (const auto& file : set.files) {
    addresses.push_back(set.base_url + "/" + file.name);
  }
  return fmt::format(
      "; by hand: get {} on a machine with a network and {} {}{}",
      fmt::join(addresses, ", "),
      packed ? "unpack it into" : "put it into",
      directory,
      set.other_way.empty() ? "" : ", or " + set.other_way);
}

// Refuses a commit of what is not as published, and leaves nothing of it.
void commit_checked(PartFile& part, const PublishedFile& published) {
  part.close();
  if (const auto wrong = fault(part.part_path(), published); !wrong.empty()) {
    part.discard();
    throw IoError(wrong);
  }
  part.commit();
}

// One connection: appends to `part` from where it stands.
HttpResult fetch_rest(
    const std::string& url,
    const PublishedFile& published,
    const DownloadOptions& options,
    PartFile& part) {
  HttpRequest request{
      .url = url,
      .offset = part.size(),
      .on_start =
          [&](bool from_offset) {
            if (!from_offset && part.size() > 0) part.restart();
          },
      .on_bytes =
          [&](std::span<const char> bytes) {
            const auto total = part.size() + static_cast<int64_t>(bytes.size());
            if (total > published.bytes) {
              part.discard();
              throw IoError(fmt::format(
                  "{}: expected {} bytes, found more",
                  url,
                  published.bytes));
            }
            part.write(bytes);
            if (options.progress) {
              options.progress({published.name, total, published.bytes});
            }
          },
      .stall_seconds = options.stall_seconds};
  return http_get(request);
}

// The server has no bytes from there on: the part is not of its file.
constexpr long kRangeNotSatisfiable = 416;

bool worth_another_try(const HttpResult& result) {
  const bool refused = result.status >= 400 && result.status < 500;
  return !refused || result.status == kRangeNotSatisfiable;
}

void download(
    const std::string& url,
    const std::string& path,
    const PublishedFile& published,
    const DownloadOptions& options) {
  PartFile part(path, /*keep_old=*/true);
  if (part.size() > published.bytes) part.restart();
  for (int attempt = 1; part.size() < published.bytes; ++attempt) {
    const auto result = fetch_rest(url, published, options, part);
    if (result.complete) break; // shorter than it should be is seen below
    if (result.status == kRangeNotSatisfiable) part.restart();
    if (attempt >= options.attempts || !worth_another_try(result)) {
      const auto kept = part.size();
      if (kept == 0) part.discard();
      throw IoError(fmt::format(
          "cannot get {}: {}{}",
          url,
          result.problem,
          kept > 0 ? fmt::format(
                         " ({} of {} bytes are kept in {}, the same command "
                         "goes on from there)",
                         kept,
                         published.bytes,
                         part.part_path())
                   : std::string()));
    }
  }
  commit_checked(part, published);
}

void unpack(
    const std::string& archive,
    const std::vector<PublishedFile>& wanted,
    const std::string& directory) {
  std::set<std::string> done;
  std::unique_ptr<PartFile> part; // of the member that is being read
  const auto open = [&](const std::string& name, int64_t) -> MemberSink {
    const auto last = fs::path(name).filename().string();
    const auto file = std::find_if(
        wanted.begin(),
        wanted.end(),
        [&](const PublishedFile& published) { return published.name == last; });
    if (file == wanted.end()) return {};
    part = std::make_unique<PartFile>(
        directory + "/" + file->name,
        /*keep_old=*/false);
    return [&, file](std::span<const char> bytes) {
      if (!bytes.empty()) {
        part->write(bytes);
        return;
      }
      commit_checked(*part, *file);
      part.reset();
      done.insert(file->name);
    };
  };
  try {
    read_tar_gz(archive, open);
  } catch (...) {
    if (part) part->discard();
    throw;
  }
  for (const auto& file : wanted) {
    if (!done.contains(file.name)) {
      throw IoError(fmt::format(
          "{}: expected {} inside, found no such file",
          archive,
          file.name));
    }
  }
}

bool all_right(
    const std::vector<PublishedFile>& files,
    const std::string& directory) {
  return std::ranges::all_of(files, [&](const PublishedFile& file) {
    return fault(directory + "/" + file.name, file).empty();
  });
}

void get_files(
    const PublishedSet& set,
    const std::string& directory,
    const DownloadOptions& options) {
  auto base = options.base_url.empty() ? set.base_url : options.base_url;
  while (base.ends_with('/'))
    base.pop_back();
  for (const auto& file : set.files) {
    const auto path = directory + "/" + file.name;
    if (fault(path, file).empty()) continue;
    download(base + "/" + file.name, path, file, options);
  }
  if (set.unpacked.empty()) return;
  for (const auto& file : set.files) {
    const auto archive = directory + "/" + file.name;
    unpack(archive, set.unpacked, directory);
    std::error_code ignored; // a spare archive does no harm
    fs::remove(archive, ignored);
  }
}

} // namespace

bool dataset_is_complete(
    const PublishedSet& set,
    const std::string& directory) {
  return all_right(set.unpacked.empty() ? set.files : set.unpacked, directory);
}

void get_dataset(
    const PublishedSet& set,
    const std::string& directory,
    const DownloadOptions& options) {
  if (dataset_is_complete(set, directory)) return;
  try {
    get_files(set, directory, options);
  } catch (const IoError& error) {
    throw IoError(fmt::format(
        "{}: {}{}",
        set.name,
        error.what(),
        by_hand(set, directory)));
  }
}

void get_dataset(
    const std::string& name,
    const std::string& directory,
    const DownloadOptions& options) {
  get_dataset(published_set(name), directory, options);
}

} // namespace grapevine::data
