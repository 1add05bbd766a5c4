// What goes with the function of an entry: embedded parameters, NAME_scratch_bytes,
// NAME_state_bytes and NAME_state_init.
#include <fmt/core.h>

#include <algorithm>

#include "codegen/c/broken_line.h"
#include "codegen/c/emit_data.h"
#include "codegen/c/entry_printer.h"
#include "ir/support/check.h"

namespace caten::c {
namespace {

constexpr int64_t kAlignment = 64;

}  // namespace

/// offset + bytes, rounded up to the alignment.
SizeExpr EntryPrinter::add_rounded(const SizeExpr& offset, const SizeExpr& bytes) {
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

/// The parameters as constant arrays.
std::string EntryPrinter::embedded_parameters() {
  std::string out;
  std::string initial;
  for (size_t i = 0; i < params_.size(); ++i) {
    const Buffer& b = buffer(params_[i]);
    const std::string name = fmt::format("{}_{}", entry_.c_name, members_[i]);
    out += constant_array(name, b.dtype, data_of(b).bytes, uses_);
    initial += (initial.empty() ? "" : ", ") + name;
  }
  return out +
         fmt::format("const {0}_params {0}_embedded_params = {{{1}}};\n\n", entry_.c_name, initial);
}

/// NAME_params_from_file.
std::string EntryPrinter::parameters_from_file() {
  library_.reads_weights = true;
  std::string out = fmt::format(
      "int {0}_params_from_file({0}_params *params, const void *file, int64_t bytes) {{\n"
      "  const unsigned char *data = file;\n"
      "  if (!weights_match(data, bytes)) {{\n    return {1};\n  }}\n",
      entry_.c_name, code("BAD_WEIGHTS"));
  for (size_t i = 0; i < params_.size(); ++i) {
    const Buffer& b = buffer(params_[i]);
    out += fmt::format("  params->{} = (const {} *)(const void *)(data + {});\n", members_[i],
                       c_storage_type(b.dtype), data_of(b).file_offset);
  }
  return out + fmt::format("  return {};\n}}\n\n", code("OK"));
}

const codegen::LibraryEntry::ParameterData& EntryPrinter::data_of(const Buffer& b) const {
  for (const auto& data : entry_.parameters) {
    if (data.storage == b.storage) {
      return data;
    }
  }
  CATEN_UNREACHABLE("no contents for parameter `{}`", b.name);
}

/// NAME_scratch_bytes, NAME_state_bytes, NAME_state_init.
std::string EntryPrinter::companion_functions() {
  std::string out;
  const std::string sizes = symbols_.empty() ? "void" : size_parameters();
  const auto bytes_function = [&](const char* suffix, const SizeExpr& bytes) {
    std::string body = unused_symbols(checked_size_text(bytes, symbols_, uses_));
    if (is_constant(bytes)) {
      body += fmt::format("  return {};\n",
                          spell_int64(bytes.evaluate({}).value_or(0), DialectKind::C99));
    } else {
      body += "  int bad = 0;\n";
      body += broken_line(
          fmt::format("  const int64_t bytes = {};", checked_size_text(bytes, symbols_, uses_)));
      body += "  return bad || bytes < 0 ? -1 : bytes;\n";
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
    out +=
        fmt::format("void {}_state_init({}void *state) {{\n{}}}\n\n", entry_.c_name,
                    symbols_.empty() ? "" : size_parameters() + ", ", unused_symbols(init) + init);
  }
  return out;
}

std::string EntryPrinter::unused_symbols(const std::string& text) const {
  std::string out;
  for (const std::string& symbol : symbols_) {
    if (!mentions(text, symbol)) {
      out += fmt::format("  (void){};\n", symbol);
    }
  }
  return out;
}

/// Statements that set one state buffer to its initial contents: zeros unless they are known.
std::string EntryPrinter::state_initialiser(const Buffer& b, const SizeExpr& offset) {
  const bool first = is_constant(offset) && offset.evaluate({}).value_or(0) == 0;
  const std::string place =
      first ? "state"
            : fmt::format("(unsigned char *)state + {}", size_text(offset, symbols_, uses_));
  const auto given = std::find_if(entry_.parameters.begin(), entry_.parameters.end(),
                                  [&](const auto& data) { return data.storage == b.storage; });
  const bool zero = given == entry_.parameters.end() ||
                    std::all_of(given->bytes.begin(), given->bytes.end(),
                                [](std::byte byte) { return byte == std::byte{0}; });
  uses_.functions.insert("memset");
  if (zero) {
    const SizeExpr bytes = buffer_bytes(b);
    return fmt::format("  memset({}, 0, {});\n", place,
                       is_constant(bytes)
                           ? std::to_string(bytes.evaluate({}).value_or(0))
                           : fmt::format("(size_t)({})", size_text(bytes, symbols_, uses_)));
  }
  const std::string name =
      library_.function_names.declare(fmt::format("{}_initial_{}", entry_.c_name, b.name));
  init_data_ += constant_array(name, b.dtype, given->bytes, uses_);
  return fmt::format("  memcpy({}, {}, sizeof {});\n", place, name, name);
}

}  // namespace caten::c
