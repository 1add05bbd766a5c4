// Programs of this machine, above all its C compilers: found in PATH, run to their end.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caten::runtime {

/// The absolute path of an executable that PATH knows; a name with a slash stands for itself.
std::optional<std::string> find_program(std::string_view name);

struct ProgramResult {
  int exit_code = 0;   // 128 + the number of the signal that ended it
  std::string output;  // what it wrote to standard output and error, together
};

/// Runs command[0], a path, without standard input. Throws RuntimeError when it cannot be started;
/// kills it and throws when `cancelled` (may be null) becomes true.
ProgramResult run_program(const std::vector<std::string>& command,
                          const std::atomic<bool>* cancelled = nullptr);

/// A directory of its own under TMPDIR, removed with what it holds.
class TemporaryDirectory {
 public:
  /// Throws RuntimeError.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace caten::runtime
