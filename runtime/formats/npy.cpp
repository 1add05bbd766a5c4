// The header of an .npy file is a Python dict literal with the keys descr, fortran_order and
// shape; only that much of Python is read here.
#include "runtime/formats/npy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

namespace caten::runtime {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = size_t{1} << 16;
constexpr size_t kMaxRank = 64;  // NumPy's own limit
constexpr size_t kAlignment = 64;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
};

/// Reads
///   dict  = "{" [pair {"," pair} [","]] "}"
///   pair  = string ":" value          value by key: string, True | False, tuple of integers
///   tuple = "(" [integer {"," integer} [","]] ")"
class HeaderParser {
 public:
  HeaderParser(const ByteSource& source, std::string_view text) : source_(source), text_(text) {}

  Header parse() {
    Header header;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      pair(header, key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size() || !header.has_descr || !header.has_order || !header.has_shape) {
      bad();
    }
    return header;
  }

 private:
  [[noreturn]] void bad() const {
    source_.error(fmt::format("the npy header is malformed at its byte {}", at_));
  }
  void once(bool& seen) const {
    if (seen) {
      bad();
    }
    seen = true;
  }
  void pair(Header& header, const std::string& key) {
    if (key == "descr") {
      once(header.has_descr);
      skip_space();
      if (at_ < text_.size() && text_[at_] == '[') {
        source_.error("structured npy dtypes are not supported");
      }
      header.descr = string();
    } else if (key == "fortran_order") {
      once(header.has_order);
      header.fortran_order = boolean();
    } else if (key == "shape") {
      once(header.has_shape);
      header.shape = tuple();
    } else {
      bad();
    }
  }
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool accept(char c) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  void expect(char c) {
    if (!accept(c)) {
      bad();
    }
  }
  std::string string() {
    char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') {
      expect('"');
    }
    size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) {
      bad();
    }
    std::string result(text_.substr(at_, end - at_));
    if (result.find('\\') != std::string::npos) {
      bad();
    }
    at_ = end + 1;
    return result;
  }
  bool boolean() {
    skip_space();
    for (bool value : {true, false}) {
      std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    bad();
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> result;
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t value = 0;
      auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0 || result.size() == kMaxRank) {
        bad();
      }
      at_ = static_cast<size_t>(end - text_.data());
      result.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  const ByteSource& source_;
  std::string_view text_;
  size_t at_ = 0;
};

struct TypeRow {
  std::string_view code;
  DType dtype;
};
constexpr TypeRow kTypes[] = {
    {"b1", DType::Bool},   {"u1", DType::UInt8},   {"u2", DType::UInt16},  {"u4", DType::UInt32},
    {"u8", DType::UInt64}, {"i1", DType::Int8},    {"i2", DType::Int16},   {"i4", DType::Int32},
    {"i8", DType::Int64},  {"f2", DType::Float16}, {"f4", DType::Float32}, {"f8", DType::Float64},
};

struct ElementType {
  DType dtype;
  bool swapped;
};

ElementType element_type(const ByteSource& source, const std::string& descr) {
  if (descr.size() >= 2 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    for (const TypeRow& row : kTypes) {
      if (row.code == std::string_view(descr).substr(1)) {
        return {row.dtype, descr[0] == '>' && size_of(row.dtype) > 1};
      }
    }
  }
  source.error(fmt::format("npy dtype `{}` is not supported", descr));
}

void swap_bytes(std::byte* data, int64_t elements, int width) {
  for (int64_t i = 0; i < elements; ++i) {
    std::reverse(data + i * width, data + (i + 1) * width);
  }
}

/// The elements of `from` (first axis fastest) in row-major order.
StoragePtr from_fortran_order(const Storage& from, std::shared_ptr<ByteCounter> counter) {
  StoragePtr to =
      Storage::allocate(from.dtype(), from.shape(), Fill::Undefined, std::move(counter));
  const std::vector<int64_t>& shape = from.shape();
  std::vector<int64_t> strides(shape.size());
  int64_t stride = size_of(from.dtype());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  std::vector<int64_t> index(shape.size(), 0);
  const auto* source = static_cast<const std::byte*>(from.data());
  auto* target = static_cast<std::byte*>(to->data());
  auto width = static_cast<size_t>(size_of(from.dtype()));
  int64_t offset = 0;
  for (int64_t i = 0; i < from.elements(); ++i, target += width) {
    std::memcpy(target, source + offset, width);
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis]) {
        break;
      }
      offset -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return to;
}

}  // namespace

StoragePtr read_npy(const ByteSource& source, std::shared_ptr<ByteCounter> counter) {
  std::array<char, 12> start{};
  size_t available = std::min<uint64_t>(start.size(), source.size());
  source.read(0, std::as_writable_bytes(std::span(start).first(available)));
  if (available < 10 || std::string_view(start.data(), kMagic.size()) != kMagic) {
    source.error("is not an npy file");
  }
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(start[i])); };
  size_t major = byte(6);
  if (major < 1 || major > 3) {
    source.error(fmt::format("npy version {}.{} is not supported", major, byte(7)));
  }
  size_t data_start = major == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1) {
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > kMaxHeader) {
    source.error(fmt::format("the npy header has {} bytes; the limit is {}", length, kMaxHeader));
  }
  if (length > source.size() - std::min<uint64_t>(data_start, source.size())) {
    source.error("the file ends inside the npy header");
  }
  std::string text(length, ' ');
  source.read(data_start, std::as_writable_bytes(std::span(text)));
  Header header = HeaderParser(source, text).parse();

  ElementType type = element_type(source, header.descr);
  std::optional<int64_t> bytes = checked_bytes(type.dtype, header.shape);
  uint64_t rest = source.size() - data_start - length;
  if (!bytes || static_cast<uint64_t>(*bytes) > rest) {
    source.error(fmt::format("an npy array of {} {} does not fit into the {} bytes of its data",
                             name(type.dtype), shape_text(header.shape), rest));
  }
  StoragePtr storage = Storage::allocate(type.dtype, header.shape, Fill::Undefined, counter);
  auto* data = static_cast<std::byte*>(storage->data());
  source.read(data_start + length, std::span(data, storage->bytes()));
  if (type.swapped) {
    swap_bytes(data, storage->elements(), size_of(type.dtype));
  }
  normalize_bools(*storage);
  return header.fortran_order && storage->rank() > 1
             ? from_fortran_order(*storage, std::move(counter))
             : storage;
}

StoragePtr load_npy(const std::string& path, std::shared_ptr<ByteCounter> counter) {
  return read_npy(*open_file(path), std::move(counter));
}

void save_npy(const std::string& path, const Storage& storage) {
  const TypeRow* type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& row) {
    return row.dtype == storage.dtype();
  });
  if (type == std::end(kTypes)) {
    throw FileError(path, fmt::format("npy files cannot hold {}; cast it to float32 or save it as "
                                      "safetensors",
                                      name(storage.dtype())));
  }
  std::string shape = fmt::format("{}", fmt::join(storage.shape(), ", "));
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   size_of(storage.dtype()) == 1 ? '|' : '<', type->code, shape,
                                   storage.rank() == 1 ? "," : "");
  // NumPy pads so that the data starts at a multiple of 64; the header ends in a newline.
  constexpr size_t kPrefix = 10;
  size_t unpadded = kPrefix + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';

  AtomicFile file(path);
  std::string prefix(kMagic);
  prefix += '\x01';
  prefix += '\0';
  prefix += static_cast<char>(header.size() & 0xFF);
  prefix += static_cast<char>(header.size() >> 8);
  file.write(prefix + header);
  file.write(std::span(static_cast<const std::byte*>(storage.data()), storage.bytes()));
  file.commit();
}

}  // namespace caten::runtime
