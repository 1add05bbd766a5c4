// CodeMemory: pages for machine code that are never writable and executable at once.
#pragma once

#include <cstddef>

namespace caten::runtime {

class CodeMemory {
 public:
  CodeMemory() = default;
  /// Writable pages. Throws RuntimeError when the system gives none.
  explicit CodeMemory(size_t bytes);
  ~CodeMemory();
  CodeMemory(CodeMemory&& other) noexcept;
  CodeMemory& operator=(CodeMemory&& other) noexcept;

  void* address() const { return address_; }
  /// Makes the pages readable and executable, for good. Works where mprotect may not add
  /// PROT_EXEC as well (PR_SET_MDWE, SELinux execmem). Throws RuntimeError when the system
  /// forbids new code altogether.
  void make_executable();

 private:
  void* address_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace caten::runtime
