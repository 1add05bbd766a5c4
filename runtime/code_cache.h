// Machine code of kernels by their text, shared by all programs that were loaded with one cache:
// equal kernels of different programs are compiled once. Safe to use from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/kernel_executable.h"

namespace caten::runtime {

struct CompiledKernel {
  KernelFunction function = nullptr;
  std::span<const std::byte> instructions;
  std::shared_ptr<const void> memory;  // keeps the instructions
};

class CodeCache {
 public:
  std::optional<CompiledKernel> find(const std::string& text) const;
  void add(std::string text, CompiledKernel kernel);
  /// How many kernels have been added so far, also those that have left.
  size_t compiled() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, CompiledKernel> kernels_;
  std::deque<std::string> order_;  // of insertion: the oldest leave first
  size_t compiled_ = 0;
};

}  // namespace caten::runtime
