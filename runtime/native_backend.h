// The cc backend: a Program's kernels through a C compiler of this machine (gcc or clang) into a
// shared object, which is kept in a cache directory. Several processes may use the directory at
// once. See Note [cache of shared objects].
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/program.h"

namespace caten::runtime {

struct NativeOptions {
  std::string compiler{};   // a path; empty: native_compiler()
  std::string directory{};  // of the cache; empty: cache_directory()
  std::shared_ptr<Workers> workers{};
  /// After a new entry, those that were not used for longest leave until so much is left.
  uintmax_t cache_bytes = uintmax_t{512} << 20;
  const std::atomic<bool>* cancelled = nullptr;  // ends the compiler when it becomes true
};

/// The path of the C compiler that $CATENC_CC names, else of gcc or clang; nullopt when there is
/// none.
std::optional<std::string> native_compiler();
/// $XDG_CACHE_HOME/catenc, $HOME/.cache/catenc; "" when there is neither.
std::string cache_directory();

/// Throws RuntimeError when there is no compiler, when it fails, or when it was cancelled.
std::unique_ptr<Executable> load_native(const Program& program, const NativeSource& source,
                                        const NativeOptions& options);

}  // namespace caten::runtime
