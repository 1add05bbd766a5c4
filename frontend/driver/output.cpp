// See output.h.
#include "frontend/driver/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "ir/support/diagnostics.h"

namespace caten::driver {
namespace {

/// A file descriptor that is closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  /// Closes now; false when the data could not be kept (a full disk shows here).
  bool close() {
    int fd = fd_;
    fd_ = -1;
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

[[noreturn]] void fail_write(const std::string& path, int error) {
  fail_file(path, fmt::format("cannot write: {}", std::strerror(error)));
}

/// Finished temporaries beside their targets; those not renamed are removed again.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    for (const Entry& entry : entries_) {
      ::unlink(entry.temporary.c_str());
    }
  }

  void add(const OutputFile& file) {
    std::string temporary = file.path + ".tmp-XXXXXX";
    Descriptor fd(::mkstemp(temporary.data()));
    if (fd.get() < 0) {
      fail_write(file.path, errno);
    }
    entries_.push_back({temporary, file.path});
    mode_t mask = ::umask(0);
    ::umask(mask);
    const mode_t mode = file.executable ? 0777 : 0666;
    if (::fchmod(fd.get(), mode & ~mask) != 0 || !write_all(fd.get(), file.text) || !fd.close()) {
      fail_write(file.path, errno);
    }
  }

  void commit() {
    while (!entries_.empty()) {
      const Entry& last = entries_.back();
      if (::rename(last.temporary.c_str(), last.target.c_str()) != 0) {
        fail_write(last.target, errno);
      }
      entries_.pop_back();
    }
  }

 private:
  struct Entry {
    std::string temporary;
    std::string target;
  };
  std::vector<Entry> entries_;
};

void write_directly(const OutputFile& file) {
  if (file.path == "-") {
    std::fflush(stdout);
    if (!write_all(STDOUT_FILENO, file.text)) {
      fail_write("<stdout>", errno);
    }
    return;
  }
  Descriptor fd(::open(file.path.c_str(), O_WRONLY | O_CLOEXEC));
  if (fd.get() < 0 || !write_all(fd.get(), file.text)) {
    fail_write(file.path, errno);
  }
}

/// rename() would replace a write-protected file: the user protected it, so refuse.
void check_target(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return;
  }
  if (S_ISDIR(status.st_mode)) {
    fail_write(path, EISDIR);
  }
  if (::access(path.c_str(), W_OK) != 0) {
    fail_write(path, errno);
  }
}

}  // namespace

bool is_device(const std::string& path) {
  struct stat status {};
  return path == "-" || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
                         !S_ISDIR(status.st_mode));
}

void write_outputs(const std::vector<OutputFile>& files) {
  Staging staging;
  for (const OutputFile& file : files) {
    if (!is_device(file.path)) {
      check_target(file.path);
      staging.add(file);
    }
  }
  staging.commit();
  for (const OutputFile& file : files) {
    if (is_device(file.path)) {
      write_directly(file);
    }
  }
}

std::string read_input(const std::string& path) {
  Descriptor fd(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) {
    fail_file(path, fmt::format("cannot open: {}", std::strerror(errno)));
  }
  std::string text;
  char chunk[65536];
  while (true) {
    ssize_t n = ::read(fd.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      fail_file(path, fmt::format("cannot read: {}", std::strerror(errno)));
    }
    if (n == 0) {
      return text;
    }
    text.append(chunk, static_cast<size_t>(n));
  }
}

}  // namespace caten::driver
