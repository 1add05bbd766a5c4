// The prototype of an entry (LANGUAGE, "The C function of an entry"), its documentation, and what
// the header says of it.
#include "codegen/c/emit_entry.h"

#include <fmt/core.h>

#include "codegen/c/entry_printer.h"

namespace caten::c {

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

EntryText EntryPrinter::run(const std::string& runner) {
  name_arguments();
  collect_params_and_state();
  EntryText out;
  const std::string body = function_body();
  out.header = header();
  out.source = kernels_;
  if (has_params(codegen::Weights::Embed)) {
    out.source += embedded_parameters();
  } else if (has_params(codegen::Weights::File)) {
    out.source += parameters_from_file();
  }
  out.source += companion_functions();
  out.source += documentation();
  out.source += wrapped("int " + entry_.c_name, arguments("restrict"), " {\n") + body + "}\n";
  if (library_.options->main) {
    out.main = main_function(runner);
  }
  return out;
}

std::string EntryPrinter::shape_comment(const Buffer& buffer) const {
  std::string text = "(";
  for (const SizeExpr& size : buffer.shape) {
    text += (text.size() == 1 ? "" : " ") + size.to_string(program_.symbols);
  }
  return text + ")";
}

void EntryPrinter::name_arguments() {
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

void EntryPrinter::collect_params_and_state() {
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

std::string EntryPrinter::size_parameters() const {
  std::string text;
  for (const std::string& symbol : symbols_) {
    text += (text.empty() ? "int64_t " : ", int64_t ") + symbol;
  }
  return text;
}

std::string EntryPrinter::arguments(std::string_view restrict_word) const {
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

std::string EntryPrinter::documentation() const {
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

std::string EntryPrinter::header() const {
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
    if (has_params(codegen::Weights::Embed)) {
      out += fmt::format("extern const {0}_params {0}_embedded_params;\n", entry_.c_name);
    } else if (has_params(codegen::Weights::File)) {
      out += fmt::format(
          "/* Points `params` into `file`, the contents of {1} or of another file with the same\n"
          "   tensors, aligned to 8 bytes. Returns {2}_BAD_WEIGHTS when it is something else. */\n"
          "int {0}_params_from_file({0}_params *params, const void *file, int64_t bytes);\n",
          entry_.c_name, library_.options->file_name, library_.status_prefix);
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
    out += fmt::format(" {} {} {},", text, name(buffer(index).dtype), shape_comment(buffer(index)));
  }
  out.back() = out.back() == ',' ? ' ' : out.back();
  out += out.back() == ' ' ? "->" : " ->";
  for (const auto& [index, text] : outputs_) {
    out += fmt::format(" {} {} {},", text, name(buffer(index).dtype), shape_comment(buffer(index)));
  }
  out.back() = ' ';
  out += "*/\n" + wrapped("int " + entry_.c_name, arguments(macro), ";\n");
  return out;
}

EntryText emit_entry(const codegen::LibraryEntry& entry, LibraryState& library,
                     const std::string& runner) {
  return EntryPrinter(entry, library).run(runner);
}

}  // namespace caten::c
