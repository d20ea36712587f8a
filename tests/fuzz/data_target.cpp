// The readers of data sets and vocabularies.
#include "base/sha256.h"
#include "data/bpe.h"
#include "data/idx.h"
#include "data/image_folder.h"
#include "data/jpeg.h"
#include "data/sets/sets.h"
#include "data/tar.h"
#include "fuzz/support.h"

#include <cmath>

namespace grapevine::fuzz {
namespace {

void check_sample(const data::Source& source, int64_t index) {
  const auto is_known = [&](int64_t token) {
    return token >= 0 && token < source.classes();
  };
  data::Batch batch;
  source.gather(std::span(&index, 1), batch);
  for (const float value : batch.inputs)
    GV_CHECK(std::isfinite(value));
  for (const int64_t token : batch.tokens)
    GV_CHECK(is_known(token));
  for (const int64_t label : batch.labels)
    GV_CHECK(is_known(label) || (source.pairs() && label == data::kNoLabel));
}

void check_samples(const data::Source& source) {
  for (int64_t i = 0; i < source.size(); ++i)
    check_sample(source, i);
}

} // namespace

void read_cifar10(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t records = choices.next(3);
  const std::vector<std::string> paths = {folder.write("input.bin", input)};
  const auto source = data::read_cifar10(paths, records);
  GV_CHECK_EQ(source->size(), records);
  check_samples(*source);
}

void read_gzip(Bytes input) {
  Choices choices(input);
  const int64_t limit = 1 + 16 * choices.next(256);
  const auto unpacked = data::gunzip(input, limit, "input.gz");
  GV_CHECK_LE(static_cast<int64_t>(unpacked.size()), limit);
}

void read_idx(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const bool images = choices.next(2) == 0;
  const int form = choices.next(3); // plain, .gz as it is, .gz of it
  const auto path = folder.write(
      form == 0 ? "input" : "input.gz",
      form == 2 ? bytes_of(gzip(input)) : input);
  if (images) {
    const auto pixels = data::read_idx_images(path, {2, 3, 4});
    GV_CHECK_EQ(pixels.size(), 2U * 3 * 4);
    return;
  }
  const auto labels = data::read_idx_labels(path, 5, 10);
  GV_CHECK_EQ(labels.size(), 5U);
  for (const uint8_t label : labels)
    GV_CHECK_LT(label, 10);
}

// The input is the index of a folder of images; or what an index has between
// its first line and the checksum of it all, which no mutation would get right.
void read_images(Bytes input) {
  static const Folder folder;
  // Two classes of one and two images, as far as their first bytes go.
  for (const char* name : {"a/1.jpg", "b/2.jpeg", "b/3.JPG"}) {
    if (!std::filesystem::exists(folder.path() / "images" / name)) {
      folder.write(std::string("images/") + name, bytes_of("\xff\xd8\xff\xe0"));
    }
  }
  Choices choices(input);
  std::string text(text_of(input));
  if (choices.next(2) == 1) {
    text = "grapevine image index 1\n" + text;
    text += "sha256 " + sha256_hex(text) + "\n";
  }
  const auto file = folder.write("images.index", bytes_of(text));
  const auto index =
      data::read_image_index(file, (folder.path() / "images").string());
  if (!index) return;
  GV_CHECK_EQ(index->classes.size(), 2U);
  for (int64_t i = 0; i < index->size(); ++i)
    GV_CHECK(!index->path_of(i).empty());
}

void read_jpeg(Bytes input) {
  Choices choices(input);
  const int64_t divisor = int64_t{1} << choices.next(4);
  data::JpegDecoder decoder;
  const auto size = decoder.size(input, "input.jpg");
  GV_CHECK(size.rows > 0 && size.columns > 0);
  // Large ones take their time, and nothing else.
  constexpr int64_t kLargest = int64_t{1} << 20;
  if (size.rows * size.columns > kLargest) return;
  data::RgbImage image;
  decoder.decode(input, divisor, "input.jpg", image);
  const auto divided = [&](int64_t extent) {
    return (extent + divisor - 1) / divisor;
  };
  GV_CHECK_EQ(image.size.rows, divided(size.rows));
  GV_CHECK_EQ(image.size.columns, divided(size.columns));
  GV_CHECK_EQ(
      static_cast<int64_t>(image.pixels.size()),
      image.size.rows * image.size.columns * 3);
}

// The input is both sides of the corpus: the source up to a byte of 255, the
// target after it.
void read_pairs(Bytes input) {
  static const Folder folder;
  static const std::string vocabulary = folder.write(
      "words.bpe",
      bytes_of("grapevine-bpe 1\nmerges 2\n108 111\n256 119\n"));
  const auto text = text_of(input);
  const size_t cut = std::min(text.find('\xff'), text.size());
  for (const std::string part : {"train.", "test."}) {
    folder.write(part + "en", input.first(cut));
    folder.write(part + "de", input.subspan(std::min(cut + 1, text.size())));
  }
  const auto set = data::load_parallel_text(
      folder.path().string(),
      {.vocabulary = vocabulary, .longest = 20});
  check_samples(*set.train);
  check_samples(*set.test);
}

void read_tar(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const bool packed = choices.next(2) == 0;
  const auto path =
      folder.write("input.tar.gz", packed ? input : bytes_of(gzip(input)));
  data::read_tar_gz(
      path,
      [](const std::string& name, int64_t bytes) -> data::MemberSink {
        GV_CHECK(!name.empty() && name.front() != '/');
        GV_CHECK_GE(bytes, 0);
        // Names that end like this are passed over.
        if (name.ends_with('x')) return {};
        return [left = bytes](std::span<const char> part) mutable {
          left -= static_cast<int64_t>(part.size());
          GV_CHECK(part.empty() ? left == 0 : left >= 0);
        };
      });
}

void read_text(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t context = 1 + choices.next(256);
  folder.write("input.txt", input);
  const auto set =
      data::load_text(folder.path().string(), {.context = context});
  for (const auto& part : {set.train, set.test}) {
    GV_CHECK_GE(part->size(), 1);
    check_sample(*part, 0);
    check_sample(*part, part->size() - 1);
  }
}

// What was read is written and read again, and any text comes back from its
// tokens.
void read_vocabulary(Bytes input) {
  const auto bpe = data::parse_bpe(text_of(input), "input.bpe");
  const auto again = data::parse_bpe(data::format_bpe(bpe), "again.bpe");
  GV_CHECK(again.merges() == bpe.merges());
  data::BpeEncoder encoder(bpe);
  for (const std::string_view text :
       {text_of(input), std::string_view("low lower lowest\n\xff\xfe the ")}) {
    const auto tokens = encoder.encode(text);
    GV_CHECK(bpe.decode(tokens) == text);
  }
}

// The input is the training text, and the other two: whatever words they have,
// it has.
void read_words(Bytes input) {
  static const Folder folder;
  Choices choices(input);
  const int64_t context = 1 + choices.next(16);
  for (const char* part : {"train", "valid", "test"})
    folder.write(std::string("wiki.") + part + ".tokens", input);
  const auto set = data::load_words(folder.path().string(), context, {});
  for (const auto& part : {set.train, set.test})
    check_sample(*part, part->size() - 1);
}

} // namespace grapevine::fuzz
