// See code_cache.h.
#include "runtime/code_cache.h"

#include <utility>

namespace caten::runtime {
namespace {

constexpr size_t kMaxKernels = 4096;

}  // namespace

std::optional<CompiledKernel> CodeCache::find(const std::string& text) const {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(text);
  return found == kernels_.end() ? std::nullopt : std::optional(found->second);
}

void CodeCache::add(std::string text, CompiledKernel kernel) {
  std::lock_guard lock(mutex_);
  ++compiled_;
  if (!kernels_.emplace(text, std::move(kernel)).second) {
    return;  // another thread was faster
  }
  if (order_.size() == kMaxKernels) {
    kernels_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(std::move(text));
}

size_t CodeCache::compiled() const {
  std::lock_guard lock(mutex_);
  return compiled_;
}

}  // namespace caten::runtime
