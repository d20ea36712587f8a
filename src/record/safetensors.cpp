#include "record/safetensors.h"

#include "base/check.h"
#include "base/error.h"
#include "record/atomic_file.h"
#include "record/posix.h"

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <set>
#include <tuple>

#include <fcntl.h>
#include <sys/stat.h>

namespace grapevine::record {
namespace {

using nlohmann::json;

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

// crc32 of the values of tensors, one after the other.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    if (bytes.empty()) return; // a null pointer would start over
    crc_ = crc32_z(
        crc_,
        reinterpret_cast<const Bytef*>(bytes.data()),
        bytes.size());
  }
  std::string text() const { return fmt::format("{:08x}", crc_); }

 private:
  uLong crc_ = crc32_z(0, nullptr, 0);
};

std::string header_of(
    std::span<const TensorView> tensors,
    const Metadata& metadata) {
  Checksum checksum;
  for (const TensorView& tensor : tensors)
    checksum.add(std::as_bytes(tensor.values));
  Metadata complete = metadata;
  GV_CHECK(complete.emplace(kChecksumKey, checksum.text()).second);
  nlohmann::ordered_json header;
  header["__metadata__"] = complete;
  uint64_t begin = 0;
  for (const TensorView& tensor : tensors) {
    const uint64_t end = begin + tensor.values.size_bytes();
    header[tensor.name] = {
        {"dtype", "F32"},
        {"shape", tensor.shape},
        {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  const size_t past = text.size() % kHeaderAlignment;
  if (past != 0) text.append(kHeaderAlignment - past, ' ');
  return text;
}

// The reference implementation's limit.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;

struct Entry {
  std::string name;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path) {}

  Safetensors read() {
    open();
    read_header();
    check_layout();
    return read_data();
  }

 private:
  [[noreturn]] void broken(const std::string& what) const {
    throw IoError(fmt::format(
        "{} is not a valid safetensors file: {}",
        path_.string(),
        what));
  }

  void open();
  void read_header();
  json parse_header(const std::string& text) const;
  Metadata parse_metadata(const json& object) const;
  Entry parse_entry(const std::string& name, const json& object) const;
  std::vector<int64_t> parse_shape(const std::string& name, const json& object)
      const;
  uint64_t bytes_of(const Entry& entry) const;
  void check_layout();
  Safetensors read_data();
  void read_into(std::span<std::byte> bytes, uint64_t offset) const;

  const std::filesystem::path& path_;
  Descriptor file_;
  uint64_t file_bytes_ = 0;
  uint64_t data_start_ = 0;
  Metadata metadata_;
  std::vector<Entry> entries_;
};

void Reader::open() {
  file_ = open_descriptor(path_, O_RDONLY);
  if (!file_.valid()) throw_io_error("open", path_, errno);
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) {
    throw_io_error("read", path_, errno);
  }
  if (!S_ISREG(status.st_mode)) broken("not a regular file");
  file_bytes_ = static_cast<uint64_t>(status.st_size);
}

void Reader::read_into(std::span<std::byte> bytes, uint64_t offset) const {
  const int64_t count =
      read_at(file_.number(), bytes, static_cast<int64_t>(offset));
  if (count < 0) throw_io_error("read", path_, errno);
  if (count < static_cast<int64_t>(bytes.size())) {
    broken("it became shorter while it was read");
  }
}

void Reader::read_header() {
  uint64_t length = 0;
  if (file_bytes_ < sizeof length) {
    broken(fmt::format("{} bytes are too short for a header", file_bytes_));
  }
  read_into(std::as_writable_bytes(std::span(&length, 1)), 0);
  if (length > file_bytes_ - sizeof length) {
    broken(fmt::format(
        "a header of {} bytes in a file of {}",
        length,
        file_bytes_));
  }
  if (length > kMaxHeaderBytes) {
    broken(fmt::format("a header of {} bytes", length));
  }
  data_start_ = sizeof length + length;
  std::string text(length, '\0');
  read_into(std::as_writable_bytes(std::span(text)), sizeof length);

  const json header = parse_header(text);
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      metadata_ = parse_metadata(value);
    } else {
      entries_.push_back(parse_entry(name, value));
    }
  }
}

// A header is an object of objects of arrays. Stopping at that depth, and at a
// name that comes twice, keeps the parser from building what is refused later.
json Reader::parse_header(const std::string& text) const {
  if (text.empty() || text.front() != '{') {
    broken("the header does not begin with '{'");
  }
  std::set<std::string> names;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    const bool opens = event == json::parse_event_t::object_start ||
                       event == json::parse_event_t::array_start;
    if (opens && depth > 2) broken("the header is nested too deeply");
    if (event == json::parse_event_t::key && depth == 1 &&
        !names.insert(parsed.get<std::string>()).second) {
      broken(fmt::format("'{}' comes twice", parsed.get<std::string>()));
    }
    return true;
  };
  json header = json::parse(text, watch, /*allow_exceptions=*/false);
  if (!header.is_object()) broken("the header is not valid JSON");
  return header;
}

Metadata Reader::parse_metadata(const json& object) const {
  if (!object.is_object()) broken("__metadata__ is not an object");
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) {
      broken(fmt::format("metadata '{}' is not a string", key));
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

std::vector<int64_t> Reader::parse_shape(
    const std::string& name,
    const json& object) const {
  std::vector<int64_t> shape;
  const auto found = object.find("shape");
  if (found == object.end() || !found->is_array()) {
    broken(fmt::format("tensor '{}' has no shape", name));
  }
  for (const json& extent : *found) {
    if (!extent.is_number_unsigned() ||
        extent.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
      broken(fmt::format("tensor '{}' has a bad shape", name));
    }
    shape.push_back(extent.get<int64_t>());
  }
  return shape;
}

Entry Reader::parse_entry(const std::string& name, const json& object) const {
  if (!object.is_object()) {
    broken(fmt::format("tensor '{}' is not described by an object", name));
  }
  const auto dtype = object.find("dtype");
  if (dtype == object.end() || !dtype->is_string()) {
    broken(fmt::format("tensor '{}' has no dtype", name));
  }
  if (dtype->get_ref<const std::string&>() != "F32") {
    broken(fmt::format(
        "tensor '{}' is {}; only F32 is read",
        name,
        dtype->get_ref<const std::string&>()));
  }
  const auto offsets = object.find("data_offsets");
  if (offsets == object.end() || !offsets->is_array() || offsets->size() != 2 ||
      !(*offsets)[0].is_number_unsigned() ||
      !(*offsets)[1].is_number_unsigned()) {
    broken(fmt::format("tensor '{}' has no valid data_offsets", name));
  }
  return {
      .name = name,
      .shape = parse_shape(name, object),
      .begin = (*offsets)[0].get<uint64_t>(),
      .end = (*offsets)[1].get<uint64_t>()};
}

uint64_t Reader::bytes_of(const Entry& entry) const {
  uint64_t bytes = sizeof(float);
  for (const int64_t extent : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) {
      broken(fmt::format("the shape of tensor '{}' overflows", entry.name));
    }
  }
  return bytes;
}

// The tensors lie one after the other from the first byte to the last: no gap,
// no overlap, nothing after them. So what is allocated for them is the size of
// the file.
void Reader::check_layout() {
  std::sort(
      entries_.begin(),
      entries_.end(),
      [](const Entry& a, const Entry& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
      });
  uint64_t position = 0;
  for (const Entry& entry : entries_) {
    if (entry.begin != position) {
      broken(fmt::format(
          "tensor '{}' begins at {}, not at {}",
          entry.name,
          entry.begin,
          position));
    }
    const uint64_t bytes = bytes_of(entry);
    if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
      broken(fmt::format(
          "tensor '{}' has offsets {} to {} but its shape takes {} bytes",
          entry.name,
          entry.begin,
          entry.end,
          bytes));
    }
    position = entry.end;
  }
  if (position != file_bytes_ - data_start_) {
    broken(fmt::format(
        "{} bytes of data, but the header describes {}",
        file_bytes_ - data_start_,
        position));
  }
}

Safetensors Reader::read_data() {
  Safetensors loaded;
  Checksum checksum;
  for (Entry& entry : entries_) {
    LoadedTensor& tensor = loaded.tensors[entry.name];
    tensor.shape = std::move(entry.shape);
    tensor.values.resize((entry.end - entry.begin) / sizeof(float));
    const auto bytes = std::as_writable_bytes(std::span(tensor.values));
    read_into(bytes, data_start_ + entry.begin);
    checksum.add(bytes);
  }
  const auto stored = metadata_.find(kChecksumKey);
  if (stored != metadata_.end() && stored->second != checksum.text()) {
    broken(fmt::format(
        "the data are corrupt (crc32 {}, should be {})",
        checksum.text(),
        stored->second));
  }
  loaded.metadata = std::move(metadata_);
  return loaded;
}

} // namespace

void write_safetensors(
    const std::filesystem::path& path,
    std::span<const TensorView> tensors,
    const Metadata& metadata) {
  check_tensors(tensors);
  const std::string text = header_of(tensors, metadata);
  const uint64_t length = text.size();

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const TensorView& tensor : tensors) {
    file.write(std::as_bytes(tensor.values));
  }
  file.commit();
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return Reader(path).read();
}

} // namespace grapevine::record
