// One entry on its way to C text: what the printing functions of emit_entry.cpp (prototype and
// header), emit_function.cpp (the function with its checks and kernels), emit_companions.cpp
// (parameters, state and scratch) and emit_main.cpp share.
#pragma once

#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/c/emit_entry.h"
#include "codegen/c/emit_kernel.h"
#include "codegen/c/emit_sizes.h"
#include "codegen/lowered_module.h"

namespace caten::c {

using runtime::Buffer;
using runtime::BufferKind;
using runtime::Program;
using runtime::SizeExpr;

/// `head(a, b, c)` with line breaks after commas where it is too long.
std::string wrapped(const std::string& head, const std::string& arguments, const char* tail);

/// Whether `word` occurs in C text as an identifier of its own, outside of comments.
bool mentions(std::string_view text, std::string_view word);

class EntryPrinter {
 public:
  EntryPrinter(const codegen::LibraryEntry& entry, LibraryState& library)
      : entry_(entry),
        library_(library),
        uses_(library.uses),
        lowered_(codegen::lower_c99(*entry.compilation, library.options->target)),
        program_(lowered_.program),
        module_(lowered_.module),
        names_({"params", "state", "scratch", "status", "bad"}),
        pointers_(program_.buffers.size()) {}

  EntryText run(const std::string& runner);

 private:
  const Buffer& buffer(int index) const { return program_.buffers[static_cast<size_t>(index)]; }
  const std::string& pointer_of(int index) const { return pointers_[static_cast<size_t>(index)]; }
  bool has_scratch() const {
    return !is_constant(program_.arena_bytes) || program_.arena_bytes.evaluate({}) != 0;
  }
  std::string code(std::string_view name) const {
    return fmt::format("{}_{}", library_.status_prefix, name);
  }
  index::Pool& pool() { return module_.pool; }

  // emit_entry.cpp
  std::string shape_comment(const Buffer& buffer) const;
  void name_arguments();
  void collect_params_and_state();
  std::string size_parameters() const;
  std::string arguments(std::string_view restrict_word) const;
  std::string documentation() const;
  std::string header() const;

  // emit_function.cpp
  struct Declaration {
    std::string name;
    std::string text;
  };
  /// `if (…) return BAD_SIZE` for every size that can be wrong, then the size relations.
  std::string size_checks();
  std::string overflow_condition(const index::AtomList& atoms, int64_t coefficient);
  /// Pointers into params, state and scratch.
  std::vector<Declaration> pointer_declarations();
  KernelStyle style() const;
  /// A kernel as statements of the entry itself.
  std::string inline_kernel(const loops::Kernel& kernel);
  /// A kernel as a static function, and the call of it.
  std::string kernel_call(const loops::Kernel& kernel);
  std::string function_body();
  /// `(void)x;` for the arguments that nothing in `text` needs.
  std::string unused_arguments(const std::string& text) const;

  // emit_companions.cpp
  /// offset + bytes, rounded up to the alignment.
  static SizeExpr add_rounded(const SizeExpr& offset, const SizeExpr& bytes);
  bool has_params(codegen::Weights from) const {
    return !params_.empty() && library_.options->weights == from;
  }
  /// The parameters as constant arrays.
  std::string embedded_parameters();
  /// NAME_params_from_file.
  std::string parameters_from_file();
  const codegen::LibraryEntry::ParameterData& data_of(const Buffer& b) const;
  /// NAME_scratch_bytes, NAME_state_bytes, NAME_state_init.
  std::string companion_functions();
  std::string unused_symbols(const std::string& text) const;
  /// Statements that set one state buffer to its initial contents: zeros unless they are known.
  std::string state_initialiser(const Buffer& b, const SizeExpr& offset);

  // emit_main.cpp
  /// `static void RUNNER(argument_list *arguments)`: reads the inputs, calls the function, prints
  /// the outputs.
  std::string main_function(const std::string& runner);

  const codegen::LibraryEntry& entry_;
  LibraryState& library_;
  Uses& uses_;
  codegen::C99Module lowered_;
  const Program& program_;
  loops::Module& module_;  // printing interns index expressions
  LocalNames names_;
  std::vector<std::string> symbols_;
  std::vector<std::string> pointers_;  // per buffer
  std::vector<std::pair<int, std::string>> inputs_;
  std::vector<std::pair<int, std::string>> outputs_;
  std::vector<std::pair<std::string, int>> copies_;  // output argument and the buffer it copies
  std::vector<int> params_;
  std::vector<std::string> members_;
  std::vector<int> state_;
  std::string kernels_;
  std::string init_data_;
};

}  // namespace caten::c
