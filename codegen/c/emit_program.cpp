// Kernel functions of the ABI in runtime/program.h, with declarations of what they use.
#include "codegen/c/emit_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "codegen/c/emit_kernel.h"
#include "codegen/loops/passes/passes.h"
#include "codegen/loops/visit.h"
#include "ir/support/check.h"

namespace caten::c {
namespace {

constexpr std::string_view kTypes = R"(typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
)";

/// Declarations of functions outside, from the table that the loader binds.
std::string prototype(const std::string& name) {
  struct Row {
    std::string_view name;
    std::string_view prototype;
  };
  static constexpr Row kRows[] = {
#define CATEN_SYMBOL(name, prototype, address) {#name, prototype},
#include "runtime/intrinsics/math_symbols.def"
#undef CATEN_SYMBOL
  };
  for (const Row& row : kRows) {
    if (row.name == name) {
      return std::string(row.prototype);
    }
  }
  CATEN_UNREACHABLE("kernels may not call `{}`", name);
}

/// Replaces kKernelName.
std::string with_name(std::string text, std::string_view name) {
  for (size_t at = 0; (at = text.find(kKernelName, at)) != std::string::npos; at += name.size()) {
    text.replace(at, kKernelName.size(), name);
  }
  return text;
}

/// The function of one kernel and the parts it passes on, called kKernelName; equal kernels give
/// equal text.
std::string function_text(loops::Module& module, const loops::Kernel& kernel, Uses& uses,
                          bool optimised = false) {
  KernelNames names;
  LocalNames locals({"begin", "buffers", "c", "code", "context", "detail", "end", "failed", "inner",
                     "scratch", "sizes", "status"});
  for (const std::string& symbol : module.pool.symbols()) {
    names.symbols.push_back(locals.declare("n_" + symbol));
  }
  std::string prologue;
  KernelStyle style{.dialect = DialectKind::Tcc,
                    .detail = true,
                    .optimised = optimised,
                    .strip = module.tiling.strip};
  names.arrays.resize(kernel.arrays.size());
  int number = 0;
  for (loops::ArrayId id : loops::arguments_of(kernel)) {
    const loops::Array& array = kernel.array(id);
    std::string& array_name = names.arrays[id.index];
    array_name = locals.declare(fmt::format("b{}", number));
    const std::string type = fmt::format("{}{} *{}const", array.written ? "" : "const ",
                                         c_storage_type(array.dtype), optimised ? "restrict " : "");
    prologue += fmt::format("  {} {} = buffers[{}];\n", type, array_name, number);
    style.arguments.emplace_back(array_name, type);
    ++number;
  }
  for (const std::string& symbol : names.symbols) {
    style.arguments.emplace_back(symbol, "const int64_t");
  }
  style.arguments.emplace_back("buffers", "void *const *");
  style.workers = fmt::format("buffers[{}]", number);
  const KernelBody body = emit_body(module.pool, kernel, names, style, locals, uses);
  for (uint32_t symbol : body.symbols) {
    prologue += fmt::format("  const int64_t {} = sizes[{}];\n", names.symbols[symbol], symbol);
  }
  return fmt::format(
      "{}int32_t {}(void *const *buffers, const int64_t *sizes, int64_t *detail) {{\n{}{}  return "
      "{};\n}}\n",
      body.parts, kKernelName, prologue, body.text, kernel.checks_indices ? "status" : "0");
}

/// Functions that C compilers know and that give the same bits everywhere.
bool is_exact(std::string_view name) {
  constexpr std::string_view kExact[] = {"ceil",    "fabs",   "floor", "fmod", "memcpy",
                                         "memmove", "memset", "rint",  "sqrt", "trunc"};
  if (name.ends_with('f')) {
    name.remove_suffix(1);
  }
  return std::find(std::begin(kExact), std::end(kExact), name) != std::end(kExact);
}

}  // namespace

NativeText emit_native(loops::Module& module, const runtime::Program& program) {
  NativeText out;
  Uses uses;
  std::string functions;
  std::vector<bool> done(program.kernels.size());
  CATEN_CHECK(module.kernels.size() == program.calls.size(), "another module's program");
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    const auto kernel = static_cast<size_t>(program.calls[i].kernel);
    if (!done[kernel]) {
      done[kernel] = true;
      functions += with_name(function_text(module, module.kernels[i], uses, true),
                             program.kernels[kernel].name) +
                   "\n";
    }
  }
  const std::string helpers = helper_text(uses, DialectKind::Tcc);
  out.source = kTypes;
  std::string binds;
  const auto bind = [&](const std::string& name, std::string declaration) {
    const size_t at = declaration.find(" " + name + "(") + 1;
    declaration.replace(at, name.size(), fmt::format("(*bound_{})", name));
    out.source += fmt::format("static {}\n#define {} bound_{}\n", declaration, name, name);
    binds += fmt::format("  *(const void **)&bound_{} = addresses[{}];\n", name, out.bound.size());
    out.bound.push_back(name);
  };
  for (const std::string& function : uses.functions) {
    if (is_exact(function)) {
      out.source += prototype(function) + "\n";
    } else {
      bind(function, prototype(function));
    }
  }
  for (const auto& [function, declaration] : uses.vector_functions) {
    bind(function, declaration);
  }
  CATEN_CHECK(uses.machine_code.empty(),
              "machine code lives as long as its program, a shared "
              "object as long as any that was made from the same text");
  out.source += helpers + functions;
  out.source += fmt::format("void ct_bind(const void *const *addresses) {{\n{}}}\n", binds);
  return out;
}

std::string kernel_key(loops::Module& module, const loops::Kernel& kernel) {
  Uses unused;
  return function_text(module, kernel, unused);
}

ProgramText emit_program(loops::Module& module, std::string_view name) {
  ProgramText out;
  Uses uses;
  std::unordered_map<std::string, int> known;
  LocalNames function_names;
  std::string functions;
  std::vector<int> function_of;  // per kernel
  for (const loops::Kernel& kernel : module.kernels) {
    std::vector<int> arguments = loops::buffers_of(module, kernel);
    if (kernel.same_as >= 0) {
      function_of.push_back(function_of[static_cast<size_t>(kernel.same_as)]);
      out.calls.push_back({.kernel = function_of.back(), .buffers = std::move(arguments)});
      continue;
    }
    std::string text = function_text(module, kernel, uses);
    auto [entry, inserted] = known.emplace(std::move(text), static_cast<int>(out.kernels.size()));
    if (inserted) {
      std::string function = function_names.declare(fmt::format("{}_{}", name, kernel.name));
      const size_t begin = functions.size();
      functions += with_name(entry->first, function) + "\n";
      out.kernels.push_back({.name = std::move(function),
                             .buffer_count = static_cast<int>(arguments.size()),
                             .source_begin = begin,
                             .source_end = functions.size()});
    }
    function_of.push_back(entry->second);
    out.calls.push_back({.kernel = entry->second, .buffers = std::move(arguments)});
  }
  const std::string helpers = helper_text(uses, DialectKind::Tcc);
  out.source = kTypes;
  for (const std::string& function : uses.functions) {
    out.source += prototype(function) + "\n";
  }
  for (const auto& [function, declaration] : uses.vector_functions) {
    out.vector_functions.push_back(function);
    out.source += declaration + "\n";
  }
  for (auto& [function, code] : uses.machine_code) {
    out.source += fmt::format("void {}(const void *const *p, int64_t n);\n", function);
    out.routines.push_back({function, std::move(code)});
  }
  out.source += helpers;
  for (runtime::Kernel& kernel : out.kernels) {
    kernel.source_begin += out.source.size();
    kernel.source_end += out.source.size();
  }
  out.source += functions;
  return out;
}

}  // namespace caten::c
