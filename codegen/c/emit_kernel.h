// One kernel as a C function body, in either dialect.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/c/names.h"
#include "codegen/c/spelling.h"
#include "codegen/loops/loops.h"
#include "ir/support/diagnostics.h"

namespace caten::c {

struct KernelStyle {
  DialectKind dialect = DialectKind::Tcc;
  /// Values are named after their labels; otherwise numbered, so that equal kernels have equal
  /// text.
  bool labelled = false;
  const SourceMap* sources = nullptr;  // for comments; may be null
  /// What sets the status to IndexOutOfRange.
  std::string out_of_range = "3";
  bool detail = false;  // the function has a `detail` argument
  bool openmp = false;  // parallel loops have pragmas
  /// An optimising compiler reads this: loops of plain arithmetic stay loops.
  bool optimised = false;
  int64_t strip = codegen::Tiling{}.strip;  // elements
  /// Tcc: how the function's own arguments are declared, in its own text and in its parts.
  std::vector<std::pair<std::string, std::string>> arguments{};  // name, type
  std::string workers{};  // the expression for the Workers; "": loops stay on one thread
};

/// Stands for the name of a kernel function, so that equal kernels have equal text.
inline constexpr std::string_view kKernelName = "$kernel";

/// How arguments are called in the body.
struct KernelNames {
  std::vector<std::string> arrays;   // per array of the kernel; "" for scratch
  std::vector<std::string> symbols;  // per symbol of the program
};

struct KernelBody {
  std::string text;            // statements, indented by two spaces
  std::string parts;           // functions that it passes on; kKernelName stands for its own name
  std::set<uint32_t> symbols;  // sizes that occur
};

KernelBody emit_body(index::Pool& pool, const loops::Kernel& kernel, const KernelNames& names,
                     const KernelStyle& style, LocalNames& locals, Uses& uses);

}  // namespace caten::c
