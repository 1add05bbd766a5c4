// Positioned reads and atomic writes over POSIX file descriptors.
#include "runtime/formats/file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace caten::runtime {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, uint64_t size, int file)
      : ByteSource(std::move(path), size), file_(file) {}
  ~FileSource() override { close(file_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

 private:
  void do_read(uint64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      ssize_t got = pread(file_, into.data(), into.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        error(fmt::format("cannot read: {}", std::strerror(errno)));
      }
      if (got == 0) {
        error("the file became shorter while it was read");
      }
      offset += static_cast<uint64_t>(got);
      into = into.subspan(static_cast<size_t>(got));
    }
  }

  int file_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const std::byte> bytes)
      : ByteSource(std::move(name), bytes.size()), bytes_(bytes) {}

 private:
  void do_read(uint64_t offset, std::span<std::byte> into) const override {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  }

  std::span<const std::byte> bytes_;
};

std::string resolve_links(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) {
    return path;  // does not exist yet
  }
  std::string result = resolved;
  std::free(resolved);
  return result;
}

}  // namespace

void ByteSource::read(uint64_t offset, std::span<std::byte> into) const {
  if (offset > size_ || into.size() > size_ - offset) {
    error(fmt::format("the file is too short; {} bytes are needed at {}, it has {}", into.size(),
                      offset, size_));
  }
  do_read(offset, into);
}

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  // Nonblocking, so that a pipe without a writer is refused instead of waited for.
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    throw FileError(path, std::strerror(errno));
  }
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    throw FileError(path, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
  }
  return std::make_unique<FileSource>(path, static_cast<uint64_t>(status.st_size), file);
}

std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolve_links(path_)) {
  struct stat status {};
  if (stat(target_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) {
      fail_with("cannot write", errno);
    }
    return;
  }
  // Unique in this process by the counter, among processes by the id.
  static std::atomic<uint64_t> counter{0};
  do {
    temporary_ = fmt::format("{}.{}.{}.tmp", target_, getpid(), counter.fetch_add(1));
    file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) {
    temporary_.clear();
    fail_with("cannot write", errno);
  }
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) {
    close(file_);
  }
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t done = ::write(file_, bytes.data(), std::min(bytes.size(), size_t{INT_MAX}));
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done < 0) {
      fail_with("cannot write", errno);
    }
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
}

void AtomicFile::commit() {
  int file = std::exchange(file_, -1);
  if (close(file) != 0) {
    fail_with("cannot write", errno);
  }
  if (temporary_.empty()) {
    return;
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_with("cannot rename the finished file", errno);
  }
  temporary_.clear();
}

void AtomicFile::fail_with(const char* what, int error) {
  throw FileError(path_, fmt::format("{}: {}", what, std::strerror(error)));
}

}  // namespace caten::runtime
