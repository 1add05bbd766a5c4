// Pages for code: written first, then read-only and executable, by whichever way the system allows.
#include "runtime/code_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/backend.h"

namespace caten::runtime {
namespace {

[[noreturn]] void refuse(const char* what, int error) {
  throw RuntimeError(
      fmt::format("cannot get memory for compiled code: {}: {}", what, std::strerror(error)));
}

/// A new anonymous file in memory, allowed to be mapped executable; -1 when there is none.
int anonymous_file() {
  constexpr unsigned kExecutable = 0x10;  // MFD_EXEC, since Linux 6.3; older kernels refuse it
  int file = memfd_create("catenc-kernels", MFD_CLOEXEC | kExecutable);
  if (file < 0 && errno == EINVAL) {
    file = memfd_create("catenc-kernels", MFD_CLOEXEC);
  }
  return file;
}

/// Replaces private pages by a read-only executable mapping of the same bytes at the same place.
/// 0, or errno.
int remap_executable(void* address, size_t bytes) {
  int file = anonymous_file();
  if (file < 0) {
    return errno;
  }
  int error = 0;
  const char* from = static_cast<const char*>(address);
  for (size_t done = 0; done < bytes && error == 0;) {
    ssize_t written = write(file, from + done, bytes - done);
    if (written > 0) {
      done += static_cast<size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 &&
      mmap(address, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    error = errno;
  }
  close(file);
  return error;
}

}  // namespace

CodeMemory::CodeMemory(size_t bytes) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  bytes_ = (bytes / page + 1) * page;
  address_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address_ == MAP_FAILED) {
    address_ = nullptr;
    refuse("mmap", errno);
  }
}

CodeMemory::~CodeMemory() {
  if (address_ != nullptr) {
    munmap(address_, bytes_);
  }
}

CodeMemory::CodeMemory(CodeMemory&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

CodeMemory& CodeMemory::operator=(CodeMemory&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void CodeMemory::make_executable() {
  if (mprotect(address_, bytes_, PROT_READ | PROT_EXEC) == 0) {
    return;
  }
  if (int error = remap_executable(address_, bytes_); error != 0) {
    refuse("making it executable", error);
  }
}

}  // namespace caten::runtime
