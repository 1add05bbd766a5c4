// A parallel loop as a function of its own, which the runtime calls for chunks of it. What the body
// needs of the kernel's variables is copied into a struct.
#include <cctype>
#include <unordered_set>

#include "codegen/c/body_printer.h"
#include "runtime/interrupt.h"

namespace caten::c {
namespace {

std::unordered_set<std::string_view> identifiers_of(std::string_view text) {
  std::unordered_set<std::string_view> out;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t at = 0; at < text.size();) {
    if (!is_part(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_part(text[end])) {
      ++end;
    }
    out.insert(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// "const float" -> "float": a member that is assigned.
std::string_view assignable(std::string_view type) {
  constexpr std::string_view kConst = "const";
  if (type.find('*') != std::string_view::npos) {
    return type.ends_with(kConst) ? type.substr(0, type.size() - kConst.size()) : type;
  }
  return type.starts_with(kConst) ? type.substr(kConst.size() + 1) : type;
}

}  // namespace

void BodyPrinter::parallel(const loops::For& loop) {
  const int number = ++part_count_;
  const std::string part = fmt::format("{}_part{}", kKernelName, number);
  const std::string count = index_.print_operand(loop.hi);
  const std::string cost = index_.print(loop.cost);
  const std::string bytes = index_.print(loop.worker_bytes);

  // The function.
  const std::string kernel_text = std::exchange(out_, "");
  const int kernel_indent = std::exchange(indent_, 1);
  const bool nested = std::exchange(in_part_, true);
  open();
  const std::string i = locals_.declare("i");
  const size_t outside = variables_.size();
  remember(i, "const int64_t");
  if (!rows(loop, "begin", "end")) {
    index_.name_range(loop.range, i);
    line("for (int64_t {0} = begin; {0} < end; ++{0}) {{", i);
    ++indent_;
    ask_for_interrupt(loop);
    block(loop.body);
    --indent_;
    line("}}");
  }
  std::vector<Variable> captured;
  const std::string body = std::move(out_);
  const auto used = identifiers_of(body);
  for (size_t v = 0; v < outside; ++v) {
    if (used.contains(variables_[v].name)) {
      captured.push_back(variables_[v]);
    }
  }
  close();

  // Around it.
  in_part_ = nested;
  std::string members;
  std::string copies;
  for (const Variable& variable : captured) {
    members += fmt::format("  {} {};\n", assignable(variable.type), variable.name);
    copies += fmt::format("  {0} {1} = c->{1};\n", variable.type, variable.name);
  }
  if (used.contains("failed")) {
    copies += "  int32_t *const failed = c->failed;\n";
  }
  parts_ += fmt::format(
      "struct {0} {{\n{1}  int32_t *failed;\n}};\n"
      "static void {0}(void *context, unsigned char *scratch, int64_t begin, int64_t end) {{\n"
      "  const struct {0} *const c = context;\n{2}{3}}}\n",
      part, members, copies, body);

  // The call.
  out_ = kernel_text;
  indent_ = kernel_indent;
  uses_.functions.insert("ct_parallel");
  line("{{");
  ++indent_;
  line("struct {} c;", part);
  for (const Variable& variable : captured) {
    line("c.{0} = {0};", variable.name);
  }
  if (in_part_) {
    line("c.failed = failed;");
  }
  const std::string call =
      fmt::format("ct_parallel({}, {}, {}, {}, {}, &c)", style_.workers, count, cost, bytes, part);
  if (in_part_) {
    line("const int32_t code = {};", call);
    line("if (code != 0) {{");
    line("  *failed = code;");
    line("  return;");
    line("}}");
  } else {
    line("int32_t inner = 0;");
    line("c.failed = &inner;");
    line("const int32_t code = {};", call);
    line("if (code != 0 || inner != 0) {{");
    line("  return code != 0 ? code : inner;");
    line("}}");
    uses_.functions.insert("ct_interrupted");
    line("if (ct_interrupted()) {{");
    line("  return {};", runtime::kInterruptedStatus);
    line("}}");
  }
  --indent_;
  line("}}");
}

}  // namespace caten::c
