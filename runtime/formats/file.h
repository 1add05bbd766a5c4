// Files as the formats see them: checked reads by position, and writing that never leaves half a
// file. Errors are FileErrors: "path: what is wrong".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/backend.h"

namespace caten::runtime {

class FileError : public RuntimeError {
 public:
  FileError(std::string file_path, std::string what_is_wrong)
      : RuntimeError(file_path + ": " + what_is_wrong),
        path(std::move(file_path)),
        reason(std::move(what_is_wrong)) {}

  std::string path;
  std::string reason;
};

/// Something with bytes at positions: a file, or memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// What errors call it.
  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }
  /// Fills `into` with the bytes from `offset` on. A FileError when they are not all there.
  void read(uint64_t offset, std::span<std::byte> into) const;
  [[noreturn]] void error(const std::string& what) const { throw FileError(name_, what); }

 protected:
  ByteSource(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}

 private:
  virtual void do_read(uint64_t offset, std::span<std::byte> into) const = 0;
  std::string name_;
  uint64_t size_ = 0;
};

/// Opens a regular file for reading.
std::unique_ptr<ByteSource> open_file(const std::string& path);
/// Bytes that outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::byte> bytes);

/// Writes to a new file beside `path` and renames it when complete; what is not a regular file
/// (a device, a pipe) is written directly. The destructor of an uncommitted file removes it.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  [[noreturn]] void fail_with(const char* what, int error);

  std::string path_;       // as given, for errors
  std::string target_;     // links resolved
  std::string temporary_;  // empty when writing directly
  int file_ = -1;
};

}  // namespace caten::runtime
