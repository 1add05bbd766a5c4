// GGUF files (versions 2 and 3): metadata and tensors of language models, plain or quantised in
// blocks. Quantised data stays as it is in the file: its storage holds the bytes of the blocks, and
// whoever computes with it decodes them. Everything is checked against the file's real length
// before anything is allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/formats/file.h"

namespace caten::runtime {

/// How the elements of a tensor are stored: the row of the format's table.
struct GgufType {
  uint32_t code;
  std::string_view name;   // "q4_0", or the dtype's name
  int64_t block_elements;  // of one block; 1 for plain elements
  int64_t block_bytes;
  std::optional<DType> dtype;  // of plain elements; none for blocks

  bool quantized() const { return !dtype.has_value(); }
};

struct GgufValue {
  using List = std::vector<GgufValue>;
  std::variant<bool, int64_t, uint64_t, float, double, std::string, List> data;
};

class GgufReader {
 public:
  struct Entry {
    std::string name;
    const GgufType* type;
    std::vector<int64_t> shape;  // of the elements; the last axis is the contiguous one
    uint64_t begin = 0;          // bytes in the data section
    uint64_t bytes = 0;
  };

  /// Reads and checks everything but the data. Keeps the source for read().
  explicit GgufReader(std::unique_ptr<ByteSource> source);

  /// In the order of the file.
  const std::vector<Entry>& tensors() const { return tensors_; }
  const std::vector<std::pair<std::string, GgufValue>>& metadata() const { return metadata_; }

  /// Plain elements: a storage of the entry's shape. Blocks: their bytes, as uint8 of the entry's
  /// shape with the last axis replaced by the blocks of a row and the bytes of a block.
  StoragePtr read(const Entry& entry, std::shared_ptr<ByteCounter> counter = nullptr) const;

 private:
  void check_layout() const;

  std::unique_ptr<ByteSource> source_;
  uint64_t data_start_ = 0;
  uint64_t alignment_ = 32;
  std::vector<Entry> tensors_;
  std::vector<std::pair<std::string, GgufValue>> metadata_;
};

}  // namespace caten::runtime
