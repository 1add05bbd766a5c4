// The layout: "GGUF", version, number of tensors, number of metadata pairs; the pairs (key, type,
// value); the tensors' names, sizes (innermost first), types and offsets; padding; the data. All
// little-endian. Specification: ggml/docs/gguf.md; the sizes of blocks: ggml-common.h.
#include "runtime/formats/gguf.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <unordered_set>

namespace caten::runtime {
namespace {

constexpr size_t kMaxRank = 4;      // GGML_MAX_DIMS
constexpr size_t kMaxName = 65535;  // of keys, by the specification
constexpr uint64_t kMaxAlignment = 1u << 20;
constexpr size_t kChunk = 1 << 16;

// clang-format off
constexpr GgufType kTypes[] = {
    {0,  "float32",  1, 4, DType::Float32},
    {1,  "float16",  1, 2, DType::Float16},
    {2,  "q4_0",  32,  18, std::nullopt},
    {3,  "q4_1",  32,  20, std::nullopt},
    {6,  "q5_0",  32,  22, std::nullopt},
    {7,  "q5_1",  32,  24, std::nullopt},
    {8,  "q8_0",  32,  34, std::nullopt},
    {12, "q4_k", 256, 144, std::nullopt},
    {13, "q5_k", 256, 176, std::nullopt},
    {14, "q6_k", 256, 210, std::nullopt},
    {24, "int8",     1, 1, DType::Int8},
    {25, "int16",    1, 2, DType::Int16},
    {26, "int32",    1, 4, DType::Int32},
    {27, "int64",    1, 8, DType::Int64},
    {28, "float64",  1, 8, DType::Float64},
    {30, "bfloat16", 1, 2, DType::BFloat16},
};
// clang-format on

/// Types that exist but are not read, for the error.
constexpr std::pair<uint32_t, std::string_view> kOtherTypes[] = {
    {9, "q8_1"},     {10, "q2_k"},  {11, "q3_k"},   {15, "q8_k"},  {16, "iq2_xxs"}, {17, "iq2_xs"},
    {18, "iq3_xxs"}, {19, "iq1_s"}, {20, "iq4_nl"}, {21, "iq3_s"}, {22, "iq2_s"},   {23, "iq4_xs"},
    {29, "iq1_m"},   {34, "tq1_0"}, {35, "tq2_0"},  {39, "mxfp4"},
};

enum class ValueType : uint32_t {
  UInt8,
  Int8,
  UInt16,
  Int16,
  UInt32,
  Int32,
  Float32,
  Bool,
  String,
  Array,
  UInt64,
  Int64,
  Float64,
};
constexpr uint32_t kValueTypes = 13;
/// The least number of bytes of a value.
constexpr uint64_t kLeastBytes[kValueTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};

/// Reads the header from front to back, in chunks.
class Cursor {
 public:
  explicit Cursor(const ByteSource& source) : source_(source) {}

  uint64_t position() const { return chunk_start_ + at_; }
  uint64_t left() const { return source_.size() - position(); }

  template <typename T>
  T number() {
    T value;
    take(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  std::string text(const char* what, uint64_t limit) {
    const auto length = number<uint64_t>();
    if (length > limit || length > left()) {
      source_.error(fmt::format("{} of {} bytes does not fit into the file", what, length));
    }
    std::string result(length, '\0');
    take(std::as_writable_bytes(std::span(result)));
    return result;
  }

 private:
  void take(std::span<std::byte> into) {
    if (into.size() > left()) {
      source_.error("the file ends inside its header");
    }
    while (!into.empty()) {
      if (at_ == chunk_.size()) {
        chunk_start_ += at_;
        chunk_.resize(std::min<uint64_t>(kChunk, source_.size() - chunk_start_));
        source_.read(chunk_start_, chunk_);
        at_ = 0;
      }
      const size_t count = std::min(into.size(), chunk_.size() - at_);
      std::memcpy(into.data(), chunk_.data() + at_, count);
      at_ += count;
      into = into.subspan(count);
    }
  }

  const ByteSource& source_;
  std::vector<std::byte> chunk_;
  uint64_t chunk_start_ = 0;
  size_t at_ = 0;
};

ValueType value_type(const ByteSource& source, Cursor& cursor, const std::string& key) {
  const auto code = cursor.number<uint32_t>();
  if (code >= kValueTypes) {
    source.error(fmt::format("the metadata `{}` has the unknown type {}", key, code));
  }
  return static_cast<ValueType>(code);
}

GgufValue read_value(const ByteSource& source, Cursor& cursor, const std::string& key,
                     ValueType type) {
  switch (type) {
    case ValueType::UInt8:
      return {int64_t{cursor.number<uint8_t>()}};
    case ValueType::Int8:
      return {int64_t{cursor.number<int8_t>()}};
    case ValueType::UInt16:
      return {int64_t{cursor.number<uint16_t>()}};
    case ValueType::Int16:
      return {int64_t{cursor.number<int16_t>()}};
    case ValueType::UInt32:
      return {int64_t{cursor.number<uint32_t>()}};
    case ValueType::Int32:
      return {int64_t{cursor.number<int32_t>()}};
    case ValueType::Float32:
      return {cursor.number<float>()};
    case ValueType::Bool: {
      const auto byte = cursor.number<uint8_t>();
      if (byte > 1) {
        source.error(
            fmt::format("the metadata `{}` holds the byte {} as a truth value", key, byte));
      }
      return {byte == 1};
    }
    case ValueType::String:
      return {cursor.text("a string of the metadata", UINT64_MAX)};
    case ValueType::UInt64:
      return {cursor.number<uint64_t>()};
    case ValueType::Int64:
      return {cursor.number<int64_t>()};
    case ValueType::Float64:
      return {cursor.number<double>()};
    case ValueType::Array:
      break;
  }
  const ValueType element = value_type(source, cursor, key);
  if (element == ValueType::Array) {
    source.error(
        fmt::format("the metadata `{}` is an array of arrays, which GGUF files have not", key));
  }
  const auto count = cursor.number<uint64_t>();
  if (count > cursor.left() / kLeastBytes[static_cast<size_t>(element)]) {
    source.error(
        fmt::format("the metadata `{}` with {} elements does not fit into the file", key, count));
  }
  GgufValue::List list;
  list.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    list.push_back(read_value(source, cursor, key, element));
  }
  return {std::move(list)};
}

const GgufType* find_type(const ByteSource& source, uint32_t code, const std::string& name) {
  const auto* row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const GgufType& type) { return type.code == code; });
  if (row != std::end(kTypes)) {
    return row;
  }
  const auto* other = std::find_if(std::begin(kOtherTypes), std::end(kOtherTypes),
                                   [&](const auto& type) { return type.first == code; });
  source.error(other != std::end(kOtherTypes)
                   ? fmt::format("the type {} of tensor `{}` is not supported", other->second, name)
                   : fmt::format("tensor `{}` has the unknown type {}", name, code));
}

GgufReader::Entry read_entry(const ByteSource& source, Cursor& cursor) {
  GgufReader::Entry entry;
  entry.name = cursor.text("a tensor's name", kMaxName);
  const auto rank = cursor.number<uint32_t>();
  if (rank > kMaxRank) {
    source.error(fmt::format("tensor `{}` has rank {}, more than {}", entry.name, rank, kMaxRank));
  }
  for (uint32_t i = 0; i < rank; ++i) {
    const auto size = cursor.number<uint64_t>();
    if (size > INT64_MAX) {
      source.error(fmt::format("tensor `{}` has an axis of size {}", entry.name, size));
    }
    entry.shape.insert(entry.shape.begin(), static_cast<int64_t>(size));
  }
  entry.type = find_type(source, cursor.number<uint32_t>(), entry.name);
  entry.begin = cursor.number<uint64_t>();
  const GgufType& type = *entry.type;
  const int64_t row = rank == 0 ? 1 : entry.shape.back();
  if (row % type.block_elements != 0) {
    source.error(
        fmt::format("the rows of tensor `{}` have {} elements, no multiple of the {} of "
                    "a {} block",
                    entry.name, row, type.block_elements, type.name));
  }
  std::vector<int64_t> bytes = entry.shape;
  if (rank != 0) {
    bytes.back() /= type.block_elements;
  }
  bytes.push_back(type.block_bytes);
  const std::optional<int64_t> total = checked_bytes(DType::UInt8, bytes);
  if (!total) {
    source.error(
        fmt::format("the sizes {} of tensor `{}` overflow", shape_text(entry.shape), entry.name));
  }
  entry.bytes = static_cast<uint64_t>(*total);
  return entry;
}

}  // namespace

GgufReader::GgufReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  Cursor cursor(*source_);
  std::array<char, 4> magic{};
  if (source_->size() >= magic.size()) {
    magic = cursor.number<std::array<char, 4>>();
  }
  if (std::string_view(magic.data(), magic.size()) != "GGUF") {
    source_->error("is not a GGUF file");
  }
  const auto version = cursor.number<uint32_t>();
  if ((version & 0xFFFFu) == 0 && version != 0) {
    source_->error("is a big-endian GGUF file, which is not supported");
  }
  if (version != 2 && version != 3) {
    source_->error(fmt::format("is a GGUF file of version {}; 2 and 3 are supported", version));
  }
  const auto tensors = cursor.number<uint64_t>();
  const auto pairs = cursor.number<uint64_t>();
  // A tensor takes 24 bytes at least, a pair 13.
  if (tensors > cursor.left() / 24 || pairs > cursor.left() / 13) {
    source_->error(
        fmt::format("{} tensors and {} metadata pairs do not fit into the file", tensors, pairs));
  }
  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < pairs; ++i) {
    std::string key = cursor.text("a metadata key", kMaxName);
    if (!names.insert(key).second) {
      source_->error(fmt::format("the metadata key `{}` occurs twice", key));
    }
    const ValueType type = value_type(*source_, cursor, key);
    GgufValue value = read_value(*source_, cursor, key, type);
    if (key == "general.alignment") {
      const auto* number = std::get_if<int64_t>(&value.data);
      if (type != ValueType::UInt32 || *number == 0 || *number % 8 != 0 ||
          static_cast<uint64_t>(*number) > kMaxAlignment) {
        source_->error("`general.alignment` is not a multiple of 8 of type uint32");
      }
      alignment_ = static_cast<uint64_t>(*number);
    }
    metadata_.emplace_back(std::move(key), std::move(value));
  }
  names.clear();
  for (uint64_t i = 0; i < tensors; ++i) {
    tensors_.push_back(read_entry(*source_, cursor));
    if (!names.insert(tensors_.back().name).second) {
      source_->error(fmt::format("two tensors are named `{}`", tensors_.back().name));
    }
  }
  data_start_ = (cursor.position() + alignment_ - 1) / alignment_ * alignment_;
  check_layout();
}

void GgufReader::check_layout() const {
  const uint64_t data_bytes = source_->size() - std::min(source_->size(), data_start_);
  std::vector<const Entry*> order;
  for (const Entry& entry : tensors_) {
    if (entry.begin % alignment_ != 0) {
      source_->error(fmt::format("tensor `{}` starts at byte {} of the data, no multiple of {}",
                                 entry.name, entry.begin, alignment_));
    }
    if (entry.begin > data_bytes || entry.bytes > data_bytes - entry.begin) {
      source_->error(fmt::format("tensor `{}` has {} bytes at {} of the data, which has {}",
                                 entry.name, entry.bytes, entry.begin, data_bytes));
    }
    if (entry.bytes != 0) {
      order.push_back(&entry);
    }
  }
  std::sort(order.begin(), order.end(),
            [](const Entry* a, const Entry* b) { return a->begin < b->begin; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i]->begin < order[i - 1]->begin + order[i - 1]->bytes) {
      source_->error(
          fmt::format("tensors `{}` and `{}` overlap", order[i - 1]->name, order[i]->name));
    }
  }
}

StoragePtr GgufReader::read(const Entry& entry, std::shared_ptr<ByteCounter> counter) const {
  std::vector<int64_t> shape = entry.shape;
  if (entry.type->quantized()) {
    shape.back() /= entry.type->block_elements;
    shape.push_back(entry.type->block_bytes);
  }
  StoragePtr storage = Storage::allocate(entry.type->dtype.value_or(DType::UInt8), shape,
                                         Fill::Undefined, std::move(counter));
  source_->read(data_start_ + entry.begin,
                std::span(static_cast<std::byte*>(storage->data()), storage->bytes()));
  return storage;
}

}  // namespace caten::runtime
