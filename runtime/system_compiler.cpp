// See system_compiler.h.
#include "runtime/system_compiler.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "runtime/backend.h"

extern char** environ;

namespace caten::runtime {
namespace {

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

[[noreturn]] void fail_start(const std::string& program, int error) {
  throw RuntimeError(fmt::format("cannot start {}: {}", program, std::strerror(error)));
}

/// What comes from `fd` until its end; kills `child` when `cancelled` becomes true.
std::string read_all(int fd, pid_t child, const std::atomic<bool>* cancelled) {
  constexpr int kPollMilliseconds = 20;
  std::string text;
  std::array<char, 4096> chunk;
  while (true) {
    if (cancelled != nullptr) {
      if (*cancelled) {
        ::kill(child, SIGKILL);
        return text;
      }
      pollfd ready{fd, POLLIN, 0};
      if (::poll(&ready, 1, kPollMilliseconds) <= 0) {
        continue;
      }
    }
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return text;
    }
    text.append(chunk.data(), static_cast<size_t>(n));
  }
}

}  // namespace

std::optional<std::string> find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    std::string path(name);
    return is_executable_file(path) ? std::optional(path) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
  while (true) {
    const size_t end = rest.find(':');
    const std::string_view folder = rest.substr(0, end);
    std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (is_executable_file(path)) {
      return path;
    }
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    rest.remove_prefix(end + 1);
  }
}

ProgramResult run_program(const std::vector<std::string>& command,
                          const std::atomic<bool>* cancelled) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail_start(command[0], errno);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to them
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    fail_start(command[0], error);
  }
  ProgramResult result;
  result.output = read_all(ends[0], child, cancelled);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      fail_start(command[0], errno);
    }
  }
  if (cancelled != nullptr && *cancelled) {
    throw RuntimeError(command[0] + " was cancelled");
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TemporaryDirectory::TemporaryDirectory() {
  const char* variable = std::getenv("TMPDIR");
  const std::string parent = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  path_ = parent + "/catenc-XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr) {
    throw RuntimeError(
        fmt::format("{}: cannot make a directory: {}", parent, std::strerror(errno)));
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // what cannot be removed stays; nobody is left to tell
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace caten::runtime
