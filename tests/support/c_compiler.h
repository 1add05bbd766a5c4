// Emitted libraries through real C compilers, loaded into the test process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/pipeline.h"
#include "ir/air/evaluate.h"

namespace caten::testing {

struct CCompiler {
  std::string name;   // "gcc", "clang", "tcc"
  std::string flags;  // "-O2"
  codegen::Target target = codegen::Target::C99;
};

/// Whether the machine has it.
bool has_compiler(const std::string& name);

/// Compiles a C file's text strictly (-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror) and
/// returns what the compiler said; "" when it was satisfied.
std::string compile_errors(const codegen::LibraryText& library, const CCompiler& compiler);

/// The entries of several compilations as one loaded library.
class CLibrary {
 public:
  /// Throws std::runtime_error with the compiler's messages. `embed`: parameters inside the file.
  CLibrary(const std::vector<const codegen::Compilation*>& compilations, const CCompiler& compiler);
  ~CLibrary();
  CLibrary(const CLibrary&) = delete;
  CLibrary& operator=(const CLibrary&) = delete;

  /// Calls entry number `entry`; params that the program writes are passed as state and updated.
  /// Throws std::runtime_error when the function returns a status other than 0.
  std::vector<air::Array> run(size_t entry, air::Environment& env) const;
  const codegen::LibraryText& text() const { return text_; }

 private:
  struct Entry;
  codegen::LibraryText text_;
  std::vector<Entry> entries_;
  void* handle_ = nullptr;
};

}  // namespace caten::testing
