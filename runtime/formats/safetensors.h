// Hugging Face's .safetensors files: a JSON header and raw little-endian tensors. Everything in
// the header is checked against the file's real length before a tensor is allocated: known dtypes,
// sizes that match their byte ranges, and ranges that cover the data without hole or overlap.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/buffer.h"
#include "runtime/formats/file.h"

namespace caten::runtime {

class SafetensorsReader {
 public:
  struct Entry {
    std::string name{};
    DType dtype = DType::Float32;
    std::vector<int64_t> shape{};
    uint64_t begin = 0;  // bytes in the data section
    uint64_t end = 0;
  };

  /// Reads and checks the header. Keeps the source for read().
  explicit SafetensorsReader(std::unique_ptr<ByteSource> source);

  /// In the order of their data.
  const std::vector<Entry>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  StoragePtr read(const Entry& entry, std::shared_ptr<ByteCounter> counter = nullptr) const;

 private:
  void check_layout();

  std::unique_ptr<ByteSource> source_;
  uint64_t data_start_ = 0;
  std::vector<Entry> tensors_;
  std::map<std::string, std::string> metadata_;
};

using NamedStorages = std::vector<std::pair<std::string, StoragePtr>>;

/// All tensors of a file, in the order of their data.
NamedStorages load_safetensors(const std::string& path,
                               std::shared_ptr<ByteCounter> counter = nullptr);

/// What a file of these tensors starts with, and where each of them is.
struct SafetensorsLayout {
  std::string start;              // everything before the data
  std::vector<size_t> order;      // indices of the tensors in the order of their data
  std::vector<uint64_t> offsets;  // per tensor: bytes from the start of the file
  uint64_t bytes = 0;             // of the whole file
};
/// Every tensor is aligned to its elements. Names must be distinct; `path` is for messages.
SafetensorsLayout layout_safetensors(const std::string& path, const NamedStorages& tensors,
                                     const std::map<std::string, std::string>& metadata = {});

/// Replaces `path` when everything is written. Names must be distinct.
void save_safetensors(const std::string& path, const NamedStorages& tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace caten::runtime
