// The C function of an entry: checks of sizes, pointers into parameters, state and scratch, and its
// kernels, inline where there is one only.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "codegen/c/broken_line.h"
#include "codegen/c/emit_program.h"
#include "codegen/c/entry_printer.h"
#include "codegen/loops/visit.h"
#include "codegen/plan_memory.h"

namespace caten::c {

namespace {

/// Products of symbols with the largest number that each is multiplied by.
using Products = std::map<index::AtomList, int64_t>;

}  // namespace

/// The condition under which `coefficient` times the symbols overflows, none of them negative.
std::string EntryPrinter::overflow_condition(const index::AtomList& atoms, int64_t coefficient) {
  std::string text;
  for (size_t i = 1; i < atoms.size(); ++i) {  // what the last line divides by
    if (i == 1 || atoms[i] != atoms[i - 1]) {
      text += symbols_[pool().atom(atoms[i]).id] + " > 0 && ";
    }
  }
  const bool guarded = atoms.size() > 1;
  text += symbols_[pool().atom(atoms[0]).id] + " > INT64_MAX";
  if (coefficient > 1) {
    text += fmt::format(" / {}", coefficient);
  }
  for (size_t i = 1; i < atoms.size(); ++i) {
    text += " / " + symbols_[pool().atom(atoms[i]).id];
  }
  return guarded ? "(" + text + ")" : text;
}

/// `if (…) return BAD_SIZE` for every size that can be wrong, then the size relations.
std::string EntryPrinter::size_checks() {
  std::vector<std::string> conditions;
  for (const std::string& symbol : symbols_) {
    conditions.push_back(symbol + " < 0");
  }
  std::set<index::ExprId> seen;
  Products products;
  std::string checked;
  const auto check_size = [&](index::ExprId size) {
    if (pool().constant_value(size) || !seen.insert(size).second) {
      return;
    }
    const std::vector<index::Term>& terms = pool().terms(size);
    const index::Term term = terms.front();
    const bool is_product =
        terms.size() == 1 && term.coefficient > 0 &&
        std::all_of(term.atoms.begin(), term.atoms.end(), [&](index::AtomId atom) {
          return pool().atom(atom).kind == index::AtomKind::Symbol;
        });
    if (is_product) {
      int64_t& largest = products[term.atoms];
      largest = std::max(largest, term.coefficient);
      return;
    }
    const std::string text = checked_size_text(codegen::size_expr(pool(), size), symbols_, uses_);
    checked += pool().is_nonnegative(size)
                   ? broken_line(fmt::format("  (void){};", text))
                   : broken_line(fmt::format("  if ({} < 0) {{", text)) + "    bad = 1;\n  }\n";
  };
  for (const loops::Buffer& b : module_.buffers) {
    index::ExprId bytes = pool().constant(size_of(b.dtype));
    for (index::ExprId extent : b.shape) {
      check_size(extent);
      bytes = pool().mul(bytes, extent);
    }
    check_size(bytes);
  }
  for (const auto& [atoms, coefficient] : products) {
    if (coefficient > 1 || atoms.size() > 1) {
      conditions.push_back(overflow_condition(atoms, coefficient));
    }
  }
  std::string relations;
  for (const runtime::EntryCheck& check : program_.checks) {
    const std::string left = checked_size_text(check.left, symbols_, uses_);
    const std::string right = checked_size_text(check.right, symbols_, uses_);
    if (left != right) {  // sizes that were found to be one are
      relations += broken_line(fmt::format("  if ({} != {}) {{", left, right));
      relations += fmt::format("    return {};\n  }}\n", code("SIZE_RELATION"));
    }
  }
  std::string out;
  if (mentions(checked + relations, "bad")) {
    out += "  int bad = 0;\n";
  }
  if (!conditions.empty()) {
    std::string text;
    for (const std::string& condition : conditions) {
      text += (text.empty() ? "" : " || ") + condition;
    }
    out += broken_line(fmt::format("  if ({}) {{", text));
    out += fmt::format("    return {};\n  }}\n", code("BAD_SIZE"));
  }
  if (!checked.empty()) {
    out += checked + fmt::format("  if (bad) {{\n    return {};\n  }}\n", code("BAD_SIZE"));
  }
  return out + relations;
}

/// Pointers into params, state and scratch.
std::vector<EntryPrinter::Declaration> EntryPrinter::pointer_declarations() {
  std::vector<Declaration> out;
  for (size_t i = 0; i < params_.size(); ++i) {
    std::string& pointer = pointers_[static_cast<size_t>(params_[i])];
    pointer = names_.declare(members_[i]);
    out.push_back(
        {pointer, fmt::format("  const {} *restrict {} = params->{};\n",
                              c_storage_type(buffer(params_[i]).dtype), pointer, members_[i])});
  }
  const auto into = [&](int index, const char* base, const std::string& offset) {
    const Buffer& b = buffer(index);
    std::string& pointer = pointers_[static_cast<size_t>(index)];
    pointer = names_.declare(b.name.empty() ? "tmp" : b.name);
    const std::string_view type = c_storage_type(b.dtype);
    if (b.kind == BufferKind::Temporary && !has_scratch()) {  // of no elements
      out.push_back({pointer, fmt::format("  {} *restrict {} = 0;\n", type, pointer)});
      return;
    }
    const std::string place =
        offset == "0" ? base : fmt::format("(void *)((unsigned char *){} + {})", base, offset);
    out.push_back(
        {pointer, broken_line(fmt::format("  {} *restrict {} = {};", type, pointer, place))});
  };
  SizeExpr offset = SizeExpr::number(0);
  for (int index : state_) {
    into(index, "state", size_text(offset, symbols_, uses_));
    offset = add_rounded(offset, buffer_bytes(buffer(index)));
  }
  std::set<int> called;
  for (const runtime::Call& call : program_.calls) {
    called.insert(call.buffers.begin(), call.buffers.end());
  }
  for (int index : called) {
    if (buffer(index).kind == BufferKind::Temporary) {
      into(index, "scratch", size_text(buffer(index).arena_offset, symbols_, uses_));
    }
  }
  return out;
}

KernelStyle EntryPrinter::style() const {
  return {.dialect = DialectKind::C99,
          .labelled = true,
          .sources = library_.sources,
          .out_of_range = code("INDEX_OUT_OF_RANGE"),
          .openmp = library_.options->target == codegen::Target::Gnu};
}

/// A kernel as statements of the entry itself.
std::string EntryPrinter::inline_kernel(const loops::Kernel& kernel) {
  KernelNames names{{}, symbols_};
  names.arrays.resize(kernel.arrays.size());
  for (loops::ArrayId id : loops::arguments_of(kernel)) {
    names.arrays[id.index] = pointer_of(kernel.array(id).buffer);
  }
  names_.open();
  const KernelBody body = emit_body(pool(), kernel, names, style(), names_, uses_);
  names_.close();
  return body.text;
}

/// A kernel as a static function, and the call of it.
std::string EntryPrinter::kernel_call(const loops::Kernel& kernel) {
  std::string key = kernel_key(module_, kernel);
  const std::vector<loops::ArrayId> arguments = loops::arguments_of(kernel);
  KernelNames names;
  LocalNames locals({"status"});
  for (const std::string& symbol : program_.symbols) {
    names.symbols.push_back(locals.declare(symbol));
  }
  names.arrays.resize(kernel.arrays.size());
  std::string parameters;
  std::string given;
  for (loops::ArrayId id : arguments) {
    const loops::Array& array = kernel.array(id);
    std::string& name = names.arrays[id.index];
    name = locals.declare(array.label.empty() ? "tmp" : array.label);
    parameters += fmt::format("{}{}{} *restrict {}", parameters.empty() ? "" : ", ",
                              array.written ? "" : "const ", c_storage_type(array.dtype), name);
    given += (given.empty() ? "" : ", ") + pointer_of(array.buffer);
  }
  Uses scratch_uses = uses_;
  const KernelBody body = emit_body(pool(), kernel, names, style(), locals, scratch_uses);
  // The key names the symbols that a kernel uses by number; other entries number differently.
  for (uint32_t symbol : body.symbols) {
    if (!mentions(body.text, names.symbols[symbol])) {
      continue;  // it bounded a loop that turned out to do nothing
    }
    parameters += (parameters.empty() ? "int64_t " : ", int64_t ") + names.symbols[symbol];
    given += (given.empty() ? "" : ", ") + symbols_[symbol];
    key += fmt::format("/{}", program_.symbols[symbol]);
  }
  auto [known, inserted] = library_.kernels.try_emplace(std::move(key));
  if (inserted) {
    uses_ = std::move(scratch_uses);
    known->second =
        library_.function_names.declare(fmt::format("{}_{}", entry_.c_name, kernel.name));
    kernels_ +=
        wrapped(fmt::format("static {} {}", kernel.checks_indices ? "int" : "void", known->second),
                parameters.empty() ? "void" : parameters, " {\n");
    kernels_ += body.text + (kernel.checks_indices ? "  return status;\n" : "") + "}\n\n";
  }
  if (!kernel.checks_indices) {
    return wrapped("  " + known->second, given, ";\n");
  }
  return wrapped("  status = " + known->second, given,
                 ";\n  if (status != 0) {\n    return status;\n  }\n");
}

std::string EntryPrinter::function_body() {
  const std::string checks = size_checks();
  const std::vector<Declaration> declarations = pointer_declarations();
  std::string body;
  const bool alone = module_.kernels.size() == 1;
  bool returns_status = false;
  if (alone) {
    returns_status = module_.kernels.front().checks_indices;
    body += inline_kernel(module_.kernels.front());
  } else {
    const bool may_fail = std::any_of(module_.kernels.begin(), module_.kernels.end(),
                                      [](const auto& k) { return k.checks_indices; });
    if (may_fail) {
      body += "  int status = 0;\n";
    }
    for (const loops::Kernel& kernel : module_.kernels) {
      body += kernel_call(kernel);
    }
  }
  for (const auto& [name, index] : copies_) {
    SizeExpr count = SizeExpr::number(1);
    for (const SizeExpr& size : buffer(index).shape) {
      if (is_constant(count) && is_constant(size)) {
        count = SizeExpr::number(count.evaluate({}).value_or(0) * size.evaluate({}).value_or(0));
        continue;
      }
      count.items.insert(count.items.end(), size.items.begin(), size.items.end());
      count.items.push_back({SizeExpr::Op::Mul, 0});
    }
    names_.open();
    const std::string i = names_.declare("i");
    names_.close();
    body += fmt::format(
        "  for (int64_t {0} = 0; {0} < {1}; ++{0}) {{\n    {2}[{0}] = {3}[{0}];\n  }}\n", i,
        size_text(count, symbols_, uses_), name, pointer_of(index));
  }
  std::string pointers;
  for (const Declaration& declaration : declarations) {
    if (mentions(body, declaration.name)) {
      pointers += declaration.text;
    }
  }
  return unused_arguments(checks + pointers + body) + checks + pointers + body +
         (returns_status ? "  return status;\n" : fmt::format("  return {};\n", code("OK")));
}

/// `(void)x;` for the arguments that nothing in `text` needs.
std::string EntryPrinter::unused_arguments(const std::string& text) const {
  std::vector<std::string> given = symbols_;
  for (const auto* list : {&inputs_, &outputs_}) {
    for (const auto& [index, name] : *list) {
      given.push_back(name);
    }
  }
  if (!params_.empty()) {
    given.emplace_back("params");
  }
  if (!state_.empty()) {
    given.emplace_back("state");
  }
  if (has_scratch()) {
    given.emplace_back("scratch");
  }
  std::string out;
  for (const std::string& name : given) {
    if (!mentions(text, name)) {
      out += fmt::format("  (void){};\n", name);
    }
  }
  return out;
}

}  // namespace caten::c
