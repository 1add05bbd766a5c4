// The layout: 8 bytes little-endian header length, the JSON header, the data. The header maps
// tensor names to {"dtype", "shape", "data_offsets"} and "__metadata__" to a string map. The only
// file that includes nlohmann/json.
#include "runtime/formats/safetensors.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

namespace caten::runtime {
namespace {

constexpr uint64_t kMaxHeader = 100'000'000;  // the limit of the reference implementation
constexpr size_t kMaxRank = 64;
constexpr std::string_view kMetadata = "__metadata__";

struct TypeRow {
  std::string_view code;
  DType dtype;
};
constexpr TypeRow kTypes[] = {
    {"BOOL", DType::Bool},   {"U8", DType::UInt8},      {"U16", DType::UInt16},
    {"U32", DType::UInt32},  {"U64", DType::UInt64},    {"I8", DType::Int8},
    {"I16", DType::Int16},   {"I32", DType::Int32},     {"I64", DType::Int64},
    {"F16", DType::Float16}, {"BF16", DType::BFloat16}, {"F32", DType::Float32},
    {"F64", DType::Float64},
};

/// Follows the parser's events with a small state machine instead of a document tree: the header
/// is untrusted, and nothing is kept that is not a tensor or a metadata string.
class HeaderHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(const ByteSource& source) : source_(source) {}

  std::vector<SafetensorsReader::Entry> tensors;
  std::map<std::string, std::string> metadata;

  bool start_object(std::size_t) override {
    if (state_ == State::Start) {
      state_ = State::Top;
    } else if (state_ == State::TopValue) {
      state_ = tensor_name_ == kMetadata ? State::Metadata : State::Tensor;
      has_dtype_ = has_shape_ = has_offsets_ = false;
      entry_ = {};
    } else {
      unexpected("an object");
    }
    return true;
  }
  bool end_object() override {
    if (state_ == State::Tensor) {
      finish_tensor();
      state_ = State::Top;
    } else if (state_ == State::Metadata) {
      state_ = State::Top;
    } else {
      state_ = State::End;
    }
    return true;
  }
  bool key(string_t& text) override {
    if (state_ == State::Top) {
      if (!names_.insert(text).second) {
        source_.error(fmt::format("the name `{}` occurs twice in the safetensors header", text));
      }
      tensor_name_ = text;
      state_ = State::TopValue;
    } else if (state_ == State::Metadata) {
      metadata_key_ = text;
      state_ = State::MetadataValue;
    } else {
      state_ = text == "dtype"          ? first(has_dtype_, State::Dtype)
               : text == "shape"        ? first(has_shape_, State::ShapeStart)
               : text == "data_offsets" ? first(has_offsets_, State::OffsetsStart)
                                        : State::Start;
      if (state_ == State::Start) {
        malformed(fmt::format("unknown key `{}`", text));
      }
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (state_ == State::ShapeStart) {
      state_ = State::Shape;
    } else if (state_ == State::OffsetsStart) {
      state_ = State::Offsets;
    } else {
      unexpected("an array");
    }
    return true;
  }
  bool end_array() override {
    if (state_ == State::Offsets && offsets_.size() != 2) {
      malformed("`data_offsets` is not a pair");
    }
    state_ = State::Tensor;
    return true;
  }
  bool string(string_t& text) override {
    if (state_ == State::Dtype) {
      const TypeRow* row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                        [&](const TypeRow& type) { return type.code == text; });
      if (row == std::end(kTypes)) {
        source_.error(
            fmt::format("dtype `{}` of tensor `{}` is not supported", text, tensor_name_));
      }
      entry_.dtype = row->dtype;
      state_ = State::Tensor;
    } else if (state_ == State::MetadataValue) {
      if (!metadata.emplace(metadata_key_, text).second) {
        source_.error(fmt::format("the metadata key `{}` occurs twice", metadata_key_));
      }
      state_ = State::Metadata;
    } else {
      unexpected("a string");
    }
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == State::Shape && value <= INT64_MAX && entry_.shape.size() < kMaxRank) {
      entry_.shape.push_back(static_cast<int64_t>(value));
    } else if (state_ == State::Offsets && offsets_.size() < 2) {
      offsets_.push_back(value);
    } else {
      unexpected("a number");
    }
    return true;
  }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a fraction"); }
  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    source_.error(fmt::format("the safetensors header is not JSON at its byte {}", position));
  }

 private:
  enum class State : uint8_t {
    Start,
    Top,
    TopValue,
    Tensor,
    Dtype,
    ShapeStart,
    Shape,
    OffsetsStart,
    Offsets,
    Metadata,
    MetadataValue,
    End,
  };

  [[noreturn]] void malformed(const std::string& what) const {
    source_.error(
        tensor_name_.empty()
            ? fmt::format("the safetensors header is malformed: {}", what)
            : fmt::format("the safetensors header is malformed: {} (in `{}`)", what, tensor_name_));
  }
  [[noreturn]] void unexpected(const char* what) const {
    malformed(fmt::format("{} is out of place", what));
  }
  State first(bool& seen, State next) const {
    if (seen) {
      malformed("a key occurs twice");
    }
    seen = true;
    return next;
  }
  void finish_tensor() {
    if (!has_dtype_ || !has_shape_ || !has_offsets_) {
      malformed("`dtype`, `shape` and `data_offsets` are needed");
    }
    entry_.name = tensor_name_;
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    offsets_.clear();
    tensors.push_back(std::move(entry_));
  }

  const ByteSource& source_;
  State state_ = State::Start;
  std::string tensor_name_;
  std::string metadata_key_;
  std::set<std::string> names_;
  SafetensorsReader::Entry entry_;
  std::vector<uint64_t> offsets_;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
};

}  // namespace

SafetensorsReader::SafetensorsReader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)) {
  uint64_t length = 0;
  if (source_->size() < sizeof(length)) {
    source_->error("is not a safetensors file");
  }
  source_->read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxHeader || length > source_->size() - sizeof(length)) {
    source_->error(
        fmt::format("is not a safetensors file; its header would have {} bytes", length));
  }
  std::string text(length, ' ');
  source_->read(sizeof(length), std::as_writable_bytes(std::span(text)));
  if (text.empty() || text.front() != '{') {
    source_->error("is not a safetensors file; its header does not start with `{`");
  }
  data_start_ = sizeof(length) + length;
  HeaderHandler handler(*source_);
  nlohmann::json::sax_parse(text, &handler);
  tensors_ = std::move(handler.tensors);
  metadata_ = std::move(handler.metadata);
  check_layout();
}

void SafetensorsReader::check_layout() {
  std::sort(tensors_.begin(), tensors_.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t data_bytes = source_->size() - data_start_;
  uint64_t at = 0;
  for (const Entry& entry : tensors_) {
    if (entry.begin != at || entry.end < entry.begin || entry.end > data_bytes) {
      source_->error(fmt::format("tensor `{}` is at bytes {} to {} of {}, expected to start at {}",
                                 entry.name, entry.begin, entry.end, data_bytes, at));
    }
    std::optional<int64_t> bytes = checked_bytes(entry.dtype, entry.shape);
    if (!bytes || static_cast<uint64_t>(*bytes) != entry.end - entry.begin) {
      source_->error(fmt::format("tensor `{}` is {} {} but has {} bytes", entry.name,
                                 caten::name(entry.dtype), shape_text(entry.shape),
                                 entry.end - entry.begin));
    }
    at = entry.end;
  }
  if (at != data_bytes) {
    source_->error(fmt::format("{} bytes follow the last tensor", data_bytes - at));
  }
}

StoragePtr SafetensorsReader::read(const Entry& entry, std::shared_ptr<ByteCounter> counter) const {
  StoragePtr storage =
      Storage::allocate(entry.dtype, entry.shape, Fill::Undefined, std::move(counter));
  source_->read(data_start_ + entry.begin,
                std::span(static_cast<std::byte*>(storage->data()), storage->bytes()));
  normalize_bools(*storage);
  return storage;
}

NamedStorages load_safetensors(const std::string& path, std::shared_ptr<ByteCounter> counter) {
  SafetensorsReader reader(open_file(path));
  NamedStorages result;
  for (const SafetensorsReader::Entry& entry : reader.tensors()) {
    result.emplace_back(entry.name, reader.read(entry, counter));
  }
  return result;
}

SafetensorsLayout layout_safetensors(const std::string& path, const NamedStorages& tensors,
                                     const std::map<std::string, std::string>& metadata) {
  SafetensorsLayout layout;
  // Ordered, so that the header keeps the order of the data.
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) {
    header[std::string(kMetadata)] = metadata;
  }
  // Wide elements first: every tensor is then aligned for its dtype, as the header is to 8 bytes.
  layout.order.resize(tensors.size());
  std::iota(layout.order.begin(), layout.order.end(), size_t{0});
  std::stable_sort(layout.order.begin(), layout.order.end(), [&](size_t a, size_t b) {
    return size_of(tensors[a].second->dtype()) > size_of(tensors[b].second->dtype());
  });
  layout.offsets.resize(tensors.size());
  uint64_t at = 0;
  for (const size_t i : layout.order) {
    const auto& [tensor_name, storage] = tensors[i];
    if (tensor_name == kMetadata || header.contains(tensor_name)) {
      throw FileError(path, fmt::format("two tensors would be named `{}`", tensor_name));
    }
    const TypeRow* row =
        std::find_if(std::begin(kTypes), std::end(kTypes),
                     [&](const TypeRow& type) { return type.dtype == storage->dtype(); });
    uint64_t end = at + storage->bytes();
    header[tensor_name] = {
        {"dtype", row->code}, {"shape", storage->shape()}, {"data_offsets", {at, end}}};
    layout.offsets[i] = at;
    at = end;
  }
  // Names that are not UTF-8 have no place in JSON.
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    throw FileError(path, "a tensor's name is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();
  layout.start.assign(reinterpret_cast<const char*>(&length), sizeof(length));
  layout.start += text;
  for (uint64_t& offset : layout.offsets) {
    offset += layout.start.size();
  }
  layout.bytes = layout.start.size() + at;
  return layout;
}

void save_safetensors(const std::string& path, const NamedStorages& tensors,
                      const std::map<std::string, std::string>& metadata) {
  const SafetensorsLayout layout = layout_safetensors(path, tensors, metadata);
  AtomicFile file(path);
  file.write(layout.start);
  for (const size_t i : layout.order) {
    const Storage& storage = *tensors[i].second;
    file.write(std::span(static_cast<const std::byte*>(storage.data()), storage.bytes()));
  }
  file.commit();
}

}  // namespace caten::runtime
