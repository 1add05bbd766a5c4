// The C function of an entry (LANGUAGE, "The C function of an entry") with its checks, parameters,
// state and scratch.
#include "codegen/c/emit_entry.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "codegen/c/emit_data.h"
#include "codegen/c/emit_kernel.h"
#include "codegen/c/emit_program.h"
#include "codegen/c/emit_sizes.h"
#include "codegen/loops/visit.h"
#include "codegen/lowered_module.h"
#include "codegen/plan_memory.h"
#include "ir/support/check.h"

namespace caten::c {
namespace {

using runtime::Buffer;
using runtime::BufferKind;
using runtime::Program;
using runtime::SizeExpr;

constexpr int64_t kAlignment = 64;

/// `head(a, b, c)` with line breaks after commas where it is too long.
std::string wrapped(const std::string& head, const std::string& arguments, const char* tail) {
  constexpr size_t kLineWidth = 100;
  std::string out;
  std::string line = head + "(";
  for (size_t at = 0; at < arguments.size();) {
    size_t end = arguments.find(", ", at);
    end = end == std::string::npos ? arguments.size() : end + 1;
    const std::string part = arguments.substr(at, end - at);
    if (line.size() + part.size() + 3 > kLineWidth) {
      while (line.back() == ' ') {
        line.pop_back();
      }
      out += line + "\n";
      line = "    ";
    }
    line += part + (end < arguments.size() ? " " : "");
    at = end == arguments.size() ? end : end + 1;
  }
  return out + line + ")" + tail;
}

/// Whether `word` occurs in C text as an identifier of its own.
bool mentions(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto in_comment = [&](size_t at) {
    const size_t open = text.rfind("/*", at);
    return open != std::string_view::npos && text.find("*/", open) > at;
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])) &&
        !in_comment(at)) {
      return true;
    }
  }
  return false;
}

class EntryPrinter {
 public:
  EntryPrinter(const codegen::LibraryEntry& entry, LibraryState& library)
      : entry_(entry),
        library_(library),
        uses_(library.uses),
        lowered_(codegen::lower_c99(*entry.compilation)),
        program_(lowered_.program),
        module_(lowered_.module),
        names_({"params", "state", "scratch", "status", "bad"}),
        pointers_(program_.buffers.size()) {}

  EntryText run() {
    name_arguments();
    collect_params_and_state();
    EntryText out;
    const std::string body = function_body();
    out.header = header();
    out.source = kernels_ + parameter_data() + companion_functions();
    out.source += documentation();
    out.source += wrapped("int " + entry_.c_name, arguments("restrict"), " {\n") + body + "}\n";
    return out;
  }

 private:
  std::string shape_comment(const Buffer& buffer) const {
    std::string text = "(";
    for (const SizeExpr& size : buffer.shape) {
      text += (text.size() == 1 ? "" : " ") + size.to_string(program_.symbols);
    }
    return text + ")";
  }

  void name_arguments() {
    for (const std::string& symbol : program_.symbols) {
      symbols_.push_back(names_.declare(symbol));
    }
    for (int input : program_.inputs) {
      std::string& pointer = pointers_[static_cast<size_t>(input)];
      pointer = names_.declare(buffer(input).name);
      inputs_.push_back({input, pointer});
    }
    for (int output : program_.outputs) {
      const bool own = buffer(output).kind == BufferKind::Output && pointer_of(output).empty();
      const std::string name = names_.declare(
          own || buffer(output).name.empty() ? buffer(output).name : buffer(output).name + "_out");
      if (own) {
        pointers_[static_cast<size_t>(output)] = name;
      } else {
        copies_.emplace_back(name, output);
      }
      outputs_.push_back({output, name});
    }
  }

  void collect_params_and_state() {
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      const Buffer& b = program_.buffers[i];
      if (b.kind == BufferKind::Param) {
        (b.written ? state_ : params_).push_back(static_cast<int>(i));
      }
    }
    LocalNames members;
    for (int param : params_) {
      members_.push_back(members.declare(buffer(param).name));
    }
  }

  const Buffer& buffer(int index) const { return program_.buffers[static_cast<size_t>(index)]; }
  const std::string& pointer_of(int index) const { return pointers_[static_cast<size_t>(index)]; }
  bool has_scratch() const {
    return !is_constant(program_.arena_bytes) || program_.arena_bytes.evaluate({}) != 0;
  }
  std::string code(std::string_view name) const {
    return fmt::format("{}_{}", library_.status_prefix, name);
  }

  std::string size_parameters() const {
    std::string text;
    for (const std::string& symbol : symbols_) {
      text += (text.empty() ? "int64_t " : ", int64_t ") + symbol;
    }
    return text;
  }

  std::string arguments(std::string_view restrict_word) const {
    std::vector<std::string> list;
    for (const std::string& symbol : symbols_) {
      list.push_back("int64_t " + symbol);
    }
    for (const auto& [index, name] : inputs_) {
      list.push_back(
          fmt::format("const {} *{} {}", c_storage_type(buffer(index).dtype), restrict_word, name));
    }
    for (const auto& [index, name] : outputs_) {
      list.push_back(
          fmt::format("{} *{} {}", c_storage_type(buffer(index).dtype), restrict_word, name));
    }
    if (!params_.empty()) {
      list.push_back(fmt::format("const {}_params *params", entry_.c_name));
    }
    if (!state_.empty()) {
      list.push_back("void *state");
    }
    if (has_scratch()) {
      list.push_back("void *scratch");
    }
    std::string text;
    for (const std::string& argument : list) {
      text += (text.empty() ? "" : ", ") + argument;
    }
    return text.empty() ? "void" : text;
  }

  /// `if (…) return BAD_SIZE` for every size that can be wrong, then the size relations.
  std::string size_checks() {
    std::vector<std::string> conditions;
    for (const std::string& symbol : symbols_) {
      conditions.push_back(symbol + " < 0");
    }
    std::set<index::ExprId> seen;
    std::string checked;
    const auto check_size = [&](index::ExprId size) {
      if (pool().constant_value(size) || !seen.insert(size).second) {
        return;
      }
      const std::vector<index::Term>& terms = pool().terms(size);
      const index::Term term = terms.front();
      if (terms.size() == 1 && term.atoms.size() == 1 && term.coefficient > 0 &&
          pool().atom(term.atoms.front()).kind == index::AtomKind::Symbol) {
        if (term.coefficient > 1) {  // one symbol times a number needs no helper
          conditions.push_back(fmt::format("{} > INT64_MAX / {}",
                                           symbols_[pool().atom(term.atoms.front()).id],
                                           term.coefficient));
        }
        return;
      }
      const std::string text = checked_size_text(codegen::size_expr(pool(), size), symbols_, uses_);
      checked += pool().is_nonnegative(size)
                     ? fmt::format("  (void){};\n", text)
                     : fmt::format("  if ({} < 0) {{\n    bad = 1;\n  }}\n", text);
    };
    for (const loops::Buffer& b : module_.buffers) {
      index::ExprId bytes = pool().constant(size_of(b.dtype));
      for (index::ExprId extent : b.shape) {
        check_size(extent);
        bytes = pool().mul(bytes, extent);
      }
      check_size(bytes);
    }
    std::string relations;
    for (const runtime::EntryCheck& check : program_.checks) {
      const std::string left = checked_size_text(check.left, symbols_, uses_);
      const std::string right = checked_size_text(check.right, symbols_, uses_);
      if (left != right) {  // sizes that were found to be one are
        relations += fmt::format("  if ({} != {}) {{\n    return {};\n  }}\n", left, right,
                                 code("SIZE_RELATION"));
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
      out += fmt::format("  if ({}) {{\n    return {};\n  }}\n", text, code("BAD_SIZE"));
    }
    if (!checked.empty()) {
      out += checked + fmt::format("  if (bad) {{\n    return {};\n  }}\n", code("BAD_SIZE"));
    }
    return out + relations;
  }

  struct Declaration {
    std::string name;
    std::string text;
  };
  /// Pointers into params, state and scratch.
  std::vector<Declaration> pointer_declarations() {
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
      const std::string place = offset == "0" ? "" : fmt::format(" + {}", offset);
      if (b.kind == BufferKind::Temporary && !has_scratch()) {  // of no elements
        out.push_back({pointer, fmt::format("  {} *restrict {} = 0;\n", type, pointer)});
        return;
      }
      out.push_back(
          {pointer, fmt::format("  {0} *restrict {1} = ({0} *)(void *)((unsigned char *){2}{3});\n",
                                type, pointer, base, place)});
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

  /// offset + bytes, rounded up to the alignment.
  static SizeExpr add_rounded(const SizeExpr& offset, const SizeExpr& bytes) {
    if (is_constant(offset) && is_constant(bytes)) {
      const int64_t sum = offset.evaluate({}).value_or(0) + bytes.evaluate({}).value_or(0);
      return SizeExpr::number((sum + kAlignment - 1) / kAlignment * kAlignment);
    }
    SizeExpr out = offset;
    out.items.insert(out.items.end(), bytes.items.begin(), bytes.items.end());
    using Op = SizeExpr::Op;
    for (const SizeExpr::Item& item :
         {SizeExpr::Item{Op::Add, 0}, SizeExpr::Item{Op::Const, kAlignment - 1},
          SizeExpr::Item{Op::Add, 0}, SizeExpr::Item{Op::Const, kAlignment},
          SizeExpr::Item{Op::FloorDiv, 0}, SizeExpr::Item{Op::Const, kAlignment},
          SizeExpr::Item{Op::Mul, 0}}) {
      out.items.push_back(item);
    }
    return out;
  }

  KernelStyle style() const {
    return {.dialect = DialectKind::C99,
            .labelled = true,
            .sources = library_.sources,
            .out_of_range = code("INDEX_OUT_OF_RANGE")};
  }

  /// A kernel as statements of the entry itself.
  std::string inline_kernel(const loops::Kernel& kernel) {
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
  std::string kernel_call(const loops::Kernel& kernel) {
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
    for (uint32_t symbol : body.symbols) {
      parameters += (parameters.empty() ? "int64_t " : ", int64_t ") + names.symbols[symbol];
      given += (given.empty() ? "" : ", ") + symbols_[symbol];
    }
    // The key names the symbols that a kernel uses by number; other entries number differently.
    for (uint32_t symbol : body.symbols) {
      key += fmt::format("/{}", program_.symbols[symbol]);
    }
    auto [known, inserted] = library_.kernels.try_emplace(std::move(key));
    if (inserted) {
      uses_ = std::move(scratch_uses);
      known->second =
          library_.function_names.declare(fmt::format("{}_{}", entry_.c_name, kernel.name));
      kernels_ += wrapped(
          fmt::format("static {} {}", kernel.checks_indices ? "int" : "void", known->second),
          parameters.empty() ? "void" : parameters, " {\n");
      kernels_ += body.text + (kernel.checks_indices ? "  return status;\n" : "") + "}\n\n";
    }
    if (!kernel.checks_indices) {
      return wrapped("  " + known->second, given, ";\n");
    }
    return wrapped("  status = " + known->second, given,
                   ";\n  if (status != 0) {\n    return status;\n  }\n");
  }

  std::string function_body() {
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
  std::string unused_arguments(const std::string& text) const {
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

  /// The parameters as constant arrays.
  std::string parameter_data() {
    if (!entry_.embed_parameters || params_.empty()) {
      return "";
    }
    std::string out;
    std::string initial;
    for (size_t i = 0; i < params_.size(); ++i) {
      const Buffer& b = buffer(params_[i]);
      const std::string name = fmt::format("{}_{}", entry_.c_name, members_[i]);
      out += constant_array(name, b.dtype, data_of(b), uses_);
      initial += (initial.empty() ? "" : ", ") + name;
    }
    return out + fmt::format("const {0}_params {0}_embedded_params = {{{1}}};\n\n", entry_.c_name,
                             initial);
  }

  std::span<const std::byte> data_of(const Buffer& b) const {
    for (const auto& data : entry_.parameters) {
      if (data.storage == b.storage) {
        return data.bytes;
      }
    }
    CATEN_UNREACHABLE("no contents for parameter `{}`", b.name);
  }

  /// NAME_scratch_bytes, NAME_state_bytes, NAME_state_init.
  std::string companion_functions() {
    std::string out;
    const std::string sizes = symbols_.empty() ? "void" : size_parameters();
    const auto bytes_function = [&](const char* suffix, const SizeExpr& bytes) {
      std::string body = unused_symbols(checked_size_text(bytes, symbols_, uses_));
      if (is_constant(bytes)) {
        body += fmt::format("  return {};\n",
                            spell_int64(bytes.evaluate({}).value_or(0), DialectKind::C99));
      } else {
        body += fmt::format(
            "  int bad = 0;\n  const int64_t bytes = {};\n  return bad || bytes < 0 ? -1 : "
            "bytes;\n",
            checked_size_text(bytes, symbols_, uses_));
      }
      out += fmt::format("int64_t {}_{}({}) {{\n{}}}\n\n", entry_.c_name, suffix, sizes, body);
    };
    if (has_scratch()) {
      bytes_function("scratch_bytes", program_.arena_bytes);
    }
    if (!state_.empty()) {
      SizeExpr total = SizeExpr::number(0);
      std::string init;
      for (int index : state_) {
        const Buffer& b = buffer(index);
        init += state_initialiser(b, total);
        total = add_rounded(total, buffer_bytes(b));
      }
      bytes_function("state_bytes", total);
      out += init_data_;
      out += fmt::format("void {}_state_init({}void *state) {{\n{}}}\n\n", entry_.c_name,
                         symbols_.empty() ? "" : size_parameters() + ", ",
                         unused_symbols(init) + init);
    }
    return out;
  }

  std::string unused_symbols(const std::string& text) const {
    std::string out;
    for (const std::string& symbol : symbols_) {
      if (!mentions(text, symbol)) {
        out += fmt::format("  (void){};\n", symbol);
      }
    }
    return out;
  }

  /// Statements that set one state buffer to its initial contents: zeros unless they are known.
  std::string state_initialiser(const Buffer& b, const SizeExpr& offset) {
    const std::string place =
        fmt::format("(unsigned char *)state + {}", size_text(offset, symbols_, uses_));
    const auto given = std::find_if(entry_.parameters.begin(), entry_.parameters.end(),
                                    [&](const auto& data) { return data.storage == b.storage; });
    const bool zero = given == entry_.parameters.end() ||
                      std::all_of(given->bytes.begin(), given->bytes.end(),
                                  [](std::byte byte) { return byte == std::byte{0}; });
    uses_.functions.insert("memset");
    if (zero) {
      return fmt::format("  memset({}, 0, (size_t)({}));\n", place,
                         size_text(buffer_bytes(b), symbols_, uses_));
    }
    const std::string name =
        library_.function_names.declare(fmt::format("{}_initial_{}", entry_.c_name, b.name));
    init_data_ += constant_array(name, b.dtype, given->bytes, uses_);
    return fmt::format("  memcpy({}, {}, sizeof {});\n", place, name, name);
  }

  std::string documentation() const {
    std::string text = fmt::format("/* {}", entry_.lisp_name);
    std::string line;
    for (char c : entry_.doc) {
      line += c == '\n' ? std::string("\n   ") : std::string(1, c);
    }
    for (const char* bad : {"*/", "/*"}) {
      for (size_t at = 0; (at = line.find(bad, at)) != std::string::npos;) {
        line.insert(at + 1, " ");
      }
    }
    return text + (line.empty() ? "" : ":\n   " + line) + " */\n";
  }

  std::string header() const {
    const std::string macro = library_.status_prefix + "_RESTRICT";
    std::string out;
    if (!params_.empty()) {
      out += fmt::format("typedef struct {}_params {{\n", entry_.c_name);
      for (size_t i = 0; i < params_.size(); ++i) {
        const Buffer& b = buffer(params_[i]);
        out += fmt::format("  const {} *{}; /* {} {} */\n", c_storage_type(b.dtype), members_[i],
                           name(b.dtype), shape_comment(b));
      }
      out += fmt::format("}} {}_params;\n", entry_.c_name);
      if (entry_.embed_parameters) {
        out += fmt::format("extern const {0}_params {0}_embedded_params;\n", entry_.c_name);
      }
      out += "\n";
    }
    const std::string sizes = symbols_.empty() ? "void" : size_parameters();
    if (has_scratch()) {
      out += "/* Bytes of scratch (64-byte aligned) that a call needs; -1 when a size is bad. */\n";
      out += fmt::format("int64_t {}_scratch_bytes({});\n", entry_.c_name, sizes);
    }
    if (!state_.empty()) {
      out += "/* Bytes of state (64-byte aligned), and its initial contents. */\n";
      out += fmt::format("int64_t {}_state_bytes({});\n", entry_.c_name, sizes);
      out += fmt::format("void {}_state_init({}void *state);\n", entry_.c_name,
                         symbols_.empty() ? "" : size_parameters() + ", ");
    }
    out += fmt::format("/* {}:", entry_.lisp_name);
    for (const auto& [index, text] : inputs_) {
      out +=
          fmt::format(" {} {} {},", text, name(buffer(index).dtype), shape_comment(buffer(index)));
    }
    out.back() = out.back() == ',' ? ' ' : out.back();
    out += out.back() == ' ' ? "->" : " ->";
    for (const auto& [index, text] : outputs_) {
      out +=
          fmt::format(" {} {} {},", text, name(buffer(index).dtype), shape_comment(buffer(index)));
    }
    out.back() = ' ';
    out += "*/\n" + wrapped("int " + entry_.c_name, arguments(macro), ";\n");
    return out;
  }

  index::Pool& pool() { return module_.pool; }

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

}  // namespace

EntryText emit_entry(const codegen::LibraryEntry& entry, LibraryState& library) {
  return EntryPrinter(entry, library).run();
}

}  // namespace caten::c
