#include "data/catalogue.h"

#include "base/error.h"
#include "base/names.h"
#include "data/source.h"

#include <fmt/format.h>

namespace grapevine::data {
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

} // namespace grapevine::data
