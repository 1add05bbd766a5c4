// See kernel_executable.h.
#include "runtime/kernel_executable.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "runtime/interrupt.h"
#include "runtime/workers.h"

namespace caten::runtime {

KernelExecutable::KernelExecutable(const Program& program, std::vector<KernelFunction> functions,
                                   std::shared_ptr<const void> code,
                                   std::shared_ptr<Workers> workers)
    : name_(program.name),
      kernels_(program.kernels),
      calls_(program.calls),
      functions_(std::move(functions)),
      code_(std::move(code)),
      workers_(std::move(workers)) {}

void KernelExecutable::run(std::span<const int64_t> sizes, std::span<void* const> buffers) const {
  run_calls(sizes, buffers, nullptr, nullptr);
}

void KernelExecutable::run_profiled(std::span<const int64_t> sizes, std::span<void* const> buffers,
                                    Profile& profile) const {
  run_calls(sizes, buffers, &profile, nullptr);
}

void KernelExecutable::run_watched(std::span<const int64_t> sizes, std::span<void* const> buffers,
                                   const std::function<void(size_t)>& before) const {
  run_calls(sizes, buffers, nullptr, &before);
}

void KernelExecutable::run_calls(std::span<const int64_t> sizes, std::span<void* const> buffers,
                                 Profile* profile,
                                 const std::function<void(size_t)>* before) const {
  constexpr size_t kInline = 64;
  std::array<void*, kInline> inline_arguments;
  std::vector<void*> many_arguments;
  for (const Call& call : calls_) {
    poll_interrupt();
    if (before != nullptr) {
      (*before)(static_cast<size_t>(&call - calls_.data()));
    }
    void** arguments = inline_arguments.data();
    if (call.buffers.size() + 1 > kInline) {
      many_arguments.resize(call.buffers.size() + 1);
      arguments = many_arguments.data();
    }
    for (size_t i = 0; i < call.buffers.size(); ++i) {
      arguments[i] = buffers[static_cast<size_t>(call.buffers[i])];
    }
    arguments[call.buffers.size()] = workers_.get();
    std::array<int64_t, 2> detail{};
    auto kernel = static_cast<size_t>(call.kernel);
    ProfileScope scope(profile, kernels_[kernel].name);
    int32_t status = functions_[kernel](arguments, sizes.data(), detail.data());
    if (status == kInterruptedStatus) {
      interrupt_requested.store(false, std::memory_order_relaxed);
      throw Interrupted();
    }
    if (status == kOutOfMemoryStatus) {
      throw RuntimeError(fmt::format("`{}`: not enough memory for the scratch of kernel `{}`",
                                     name_, kernels_[kernel].name));
    }
    if (status != 0) {
      throw_status(name_, kernels_[kernel].name, status, detail);
    }
  }
}

}  // namespace caten::runtime
