// KernelExecutable: a Program whose kernels are functions of the kernel ABI (program.h), whatever
// made them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/program.h"

namespace caten::runtime {

using KernelFunction = int32_t (*)(void* const* buffers, const int64_t* sizes, int64_t* detail);

class KernelExecutable : public Executable {
 public:
  /// One function per kernel of the program; they live as long as `code`, or as the executable
  /// itself when that is null.
  KernelExecutable(const Program& program, std::vector<KernelFunction> functions,
                   std::shared_ptr<const void> code, std::shared_ptr<Workers> workers);

  void run(std::span<const int64_t> sizes, std::span<void* const> buffers) const override;
  void run_profiled(std::span<const int64_t> sizes, std::span<void* const> buffers,
                    Profile& profile) const override;
  void run_watched(std::span<const int64_t> sizes, std::span<void* const> buffers,
                   const std::function<void(size_t)>& before) const override;

 private:
  void run_calls(std::span<const int64_t> sizes, std::span<void* const> buffers, Profile* profile,
                 const std::function<void(size_t)>* before) const;

  std::string name_;
  std::vector<Kernel> kernels_;
  std::vector<Call> calls_;
  std::vector<KernelFunction> functions_;
  std::shared_ptr<const void> code_;
  std::shared_ptr<Workers> workers_;
};

}  // namespace caten::runtime
