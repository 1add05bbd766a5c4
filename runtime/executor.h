// Executor: a Program that is ready to run. Checks what arrives (rank, shape, dtype, sizes, size
// relations), plans the arena once per set of sizes and reuses it, and turns the statuses of
// kernels into RuntimeErrors. Outputs have their real shapes.
//
// run() may be called from several threads at once: each run takes an arena of its own from a
// pool. Runs of a program that writes Params take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend.h"
#include "runtime/buffer.h"
#include "runtime/program.h"

namespace caten::runtime {

/// What one run gets. Inputs come by position or by name, in any mixture, each exactly once.
struct RunArguments {
  std::vector<StoragePtr> inputs{};  // in parameter order; null: given by name
  std::vector<std::pair<std::string, StoragePtr>> named{};
  /// Values of symbols. Those not given are inferred from the shapes of the inputs.
  std::vector<std::pair<std::string, int64_t>> sizes{};
};

struct RunResult {
  /// In the order of Program::outputs. An output that is a Param or an Input is that storage
  /// itself, not a copy.
  std::vector<StoragePtr> outputs{};
  std::vector<int64_t> sizes{};  // one per symbol
};

struct ExecutorOptions {
  std::string entry{};                     // the name in errors; the program's when empty
  std::shared_ptr<ByteCounter> counter{};  // for outputs and arenas; may be null
  std::shared_ptr<Profile> profile{};      // gets the time of every kernel; may be null
  /// Before every kernel, all of the arena that holds no live temporary is filled with 0xff: NaN
  /// for floats. What reads a temporary before or after its time gives other numbers then.
  bool poison = false;
};

class Executor {
 public:
  /// `params` is the storage table: Buffer::storage indexes it. Entries that the program does not
  /// use may be null.
  Executor(std::shared_ptr<const Program> program, std::shared_ptr<const Executable> executable,
           std::vector<StoragePtr> params = {}, ExecutorOptions options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Throws RuntimeError.
  RunResult run(const RunArguments& arguments) const;
  /// The same; outputs of an earlier result that nobody else holds are written again instead of
  /// allocating new ones.
  void run_into(const RunArguments& arguments, RunResult& result) const;

  const Program& program() const;
  const std::vector<StoragePtr>& params() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace caten::runtime
