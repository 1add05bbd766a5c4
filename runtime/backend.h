// Backend: turns a Program into something that runs. Implementations: tcc (runtime/tcc_backend.cpp)
// and, registered from above because they need the compiler, interp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/profile.h"
#include "runtime/program.h"

namespace caten::runtime {

/// An error found while running, with its context in the text: which entry, which input, what was
/// expected and what was given. The frontend turns it into a Lisp condition.
class RuntimeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws the RuntimeError that a kernel's nonzero `status` stands for, naming program and kernel;
/// `detail` as in the kernel ABI (program.h).
[[noreturn]] void throw_status(std::string_view program, std::string_view kernel, int32_t status,
                               std::span<const int64_t, 2> detail);

/// The instructions of a kernel, in the memory of the executable.
struct MachineCode {
  std::string kernel;
  std::span<const std::byte> bytes;
};

/// A loaded Program. Immutable: run() may be called from several threads at once.
class Executable {
 public:
  virtual ~Executable() = default;
  /// `sizes`: one per symbol. `buffers`: one pointer per Program::buffers entry (temporaries point
  /// into an arena). Throws RuntimeError.
  virtual void run(std::span<const int64_t> sizes, std::span<void* const> buffers) const = 0;
  /// The same, adding the time of each kernel to `profile`; of the whole run, where an executable
  /// has no kernels.
  virtual void run_profiled(std::span<const int64_t> sizes, std::span<void* const> buffers,
                            Profile& profile) const;
  /// The same, with `before(i)` called before call i of the program; only before the first where an
  /// executable does not run call by call.
  virtual void run_watched(std::span<const int64_t> sizes, std::span<void* const> buffers,
                           const std::function<void(size_t)>& before) const;
  /// What runs, kernel by kernel; nothing where kernels are not machine code.
  virtual std::vector<MachineCode> machine_code() const { return {}; }
};

/// The kernels of a Program as C that an optimising compiler makes fast (native_backend.h).
/// `bound`: functions of the runtime that it calls; ct_bind, which the text defines, takes their
/// addresses in this order.
struct NativeSource {
  std::string text;
  std::vector<std::string> bound;
};

class CodeCache;
class Workers;

/// Compiles program.source in memory with TinyCC, but for the kernels that `cache` (may be null)
/// holds already; what is compiled it gets. `workers` run its parallel loops; null: the caller's
/// thread alone. Throws InternalError when TinyCC refuses our C.
std::unique_ptr<Executable> load_tcc(const Program& program,
                                     std::shared_ptr<Workers> workers = nullptr,
                                     CodeCache* cache = nullptr);

}  // namespace caten::runtime
