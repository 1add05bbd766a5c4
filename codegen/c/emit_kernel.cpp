// Statements of the loop IR as C. Every operation is a statement of its own; a load or constant
// stands where it is used when that is once and nothing comes between.
#include "codegen/c/emit_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "codegen/c/body_printer.h"
#include "codegen/c/broken_line.h"
#include "codegen/c/sort_helper.h"
#include "codegen/loops/visit.h"
#include "ir/support/check.h"
#include "ir/support/overloaded.h"

namespace caten::c {
namespace {

/// Expressions longer than this get a name: readers and TinyCC's parser both need it.
constexpr size_t kMaxNested = 72;

bool is_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

/// `name(...)` as a whole: binds as tightly as a name.
bool is_call(std::string_view text) {
  const size_t open = text.find('(');
  if (open == 0 || open == std::string_view::npos || !is_name(text.substr(0, open))) {
    return false;
  }
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) {
      return i + 1 == text.size();
    }
  }
  return false;
}

/// A remark is one line.
constexpr size_t kMaxComment = 90;

}  // namespace

void BodyPrinter::put(std::string_view text) {
  std::string line(static_cast<size_t>(indent_) * 2, ' ');
  line += text;
  out_ += style_.dialect == DialectKind::C99 ? broken_line(std::move(line)) : line + "\n";
}

std::string BodyPrinter::named(ValueId value) {
  const std::string& label = kernel_.value(value).label;
  std::string& text = text_of_[value.index];
  text = locals_.declare(style_.labelled && !label.empty() ? label : "t");
  return text;
}

void BodyPrinter::define(ValueId value, const std::string& expression) {
  const std::string type = fmt::format("const {}", c_value_type(kernel_.value(value).dtype));
  const std::string& name = named(value);
  line("{} {} = {};", type, name, without_parentheses(expression));
  remember(name, type);
}

void BodyPrinter::open() {
  locals_.open();
  scopes_.push_back(variables_.size());
}

void BodyPrinter::close() {
  locals_.close();
  variables_.resize(scopes_.back());
  scopes_.pop_back();
}

void BodyPrinter::bind(const loops::Bind& bind) {
  const index::ExprId extent = pool_.range_info(bind.range).extent;
  const std::string size = index_.print_operand(extent);
  const std::string given = text(bind.value);
  const std::string offset = index_.print(bind.offset);
  const std::string start =
      pool_.is(bind.offset, 0) ? given : fmt::format("{} + {}", given, offset);
  if (bind.check == index::IndexCheck::Known && start == given && is_name(given)) {
    index_.name_range(bind.range, given);
    return;
  }
  const std::string name = locals_.declare("at");
  if (bind.check == index::IndexCheck::Known) {
    line("const int64_t {} = {};", name, without_parentheses(start));
    remember(name, "const int64_t");
    index_.name_range(bind.range, name);
    return;
  }
  if (bind.check == index::IndexCheck::Clamped) {
    uses_.helpers.insert("index_clamp");
    line("const int64_t {} = index_clamp({}, {});", name, start, index_.print(extent));
    remember(name, "const int64_t");
    index_.name_range(bind.range, name);
    return;
  }
  line("int64_t {} = {};", name, start);
  remember(name, "const int64_t");
  line("if ({} < 0) {{", name);
  line("  {} += {};", name, size);
  line("}}");
  const std::string outside = fmt::format("{} < 0 || {} >= {}", name, name, size);
  if (bind.guard.empty()) {
    line("if ({}) {{", outside);
  } else {
    line("if ({}) {{", outside);
    line("  if ({}) {{", index_.print_guard(bind.guard));
    ++indent_;
  }
  line("  status = {};", style_.out_of_range);
  if (style_.detail) {
    line("  detail[0] = {};", given);
    line("  detail[1] = {};", index_.print(extent));
  }
  if (!bind.guard.empty()) {
    --indent_;
    line("  }}");
  }
  line("  {} = 0;", name);
  line("}}");
  index_.name_range(bind.range, name);
}

void BodyPrinter::sort(const loops::SortLine& sort) {
  const DType dtype = kernel_.array(sort.keys).dtype;
  const auto from = [&](loops::ArrayId array, index::ExprId first) {
    return pool_.is(first, 0)
               ? arrays_[array.index]
               : fmt::format("{} + {}", arrays_[array.index], index_.print_operand(first));
  };
  const std::string arguments = fmt::format(
      "{}, {}, {}, {}, {}", from(sort.order, sort.order_index), index_.print(sort.order_stride),
      from(sort.keys, sort.keys_index), index_.print(sort.keys_stride), index_.print(sort.count));
  if (style_.dialect == DialectKind::Tcc) {
    uses_.functions.insert("ct_sort");
    line("ct_sort({}, {}, {}, {}, {});", arguments, index_.print(sort.wanted),
         arrays_[sort.work.index], static_cast<int>(dtype), sort.descending ? 1 : 0);
    return;
  }
  const std::string helper = sort_helper_name(dtype, sort.descending);
  uses_.helpers.insert(helper);
  if (is_half(dtype)) {
    uses_.helpers.insert(dtype == DType::Float16 ? "half_to_float" : "bfloat_to_float");
  }
  line("{}({}, {});", helper, arguments, arrays_[sort.work.index]);
}

void BodyPrinter::comment(const loops::Comment& comment) {
  if (style_.sources == nullptr) {
    return;
  }
  std::string remark;
  for (const Span& span : comment.forms) {
    remark += remark.empty() ? "" : "; ";
    remark += style_.sources->snippet(span);
  }
  // One line, and nothing that ends the comment early or trips -Wcomment.
  std::string clean;
  for (char c : remark) {
    const bool space = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (space && (clean.empty() || clean.back() == ' ')) {
      continue;
    }
    clean += space ? ' ' : c;
  }
  for (const char* bad : {"*/", "/*"}) {
    for (size_t at = 0; (at = clean.find(bad, at)) != std::string::npos;) {
      clean.insert(at + 1, " ");
    }
  }
  while (!clean.empty() && clean.back() == ' ') {
    clean.pop_back();
  }
  if (clean.size() > kMaxComment) {
    // Not in the middle of a UTF-8 sequence.
    size_t end = kMaxComment;
    while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xc0U) == 0x80U) {
      --end;
    }
    clean = clean.substr(0, end) + " ...";
  }
  if (!clean.empty()) {
    line("/* {} */", clean);
  }
}

void BodyPrinter::statement(const Block& statements, size_t at) {
  if (done_.contains(&statements[at])) {
    loops::for_each_stmt(*loops::body_of(statements[at]), [&](const Stmt&) { ++position_; });
    return;
  }
  const DialectKind dialect = style_.dialect;
  std::visit(
      Overloaded{
          [&](const loops::Let& s) {
            if (is_condition(statements, at, s)) {
              text_of_[s.value.index] = condition_text(s);
              return;
            }
            const bool combines = std::any_of(s.args.begin(), s.args.end(), [&](ValueId arg) {
              return conditions_.contains(arg.index);
            });
            std::string expression;
            if (combines && s.op != air::Op::Where) {
              expression = fmt::format("(uint8_t)({})", condition_text(s));
              conditions_.erase(s.value.index);
            } else {
              expression = op_text(s);
            }
            if (!is_nested_in_user(statements, at, s)) {
              define(s.value, expression);
            } else if (at + 1 < statements.size() &&
                       std::holds_alternative<loops::Store>(statements[at + 1].node)) {
              text_of_[s.value.index] = std::move(expression);
            } else if (expression.size() <= kMaxNested || is_added(statements[at + 1], s.value)) {
              text_of_[s.value.index] = is_call(expression) ? expression : "(" + expression + ")";
            } else {
              define(s.value, expression);
            }
          },
          [&](const loops::Constant& s) {
            std::string literal = spell_constant(s.scalar, dialect, uses_);
            const bool narrow = use_[s.value.index].compared && !is_float(s.scalar.dtype()) &&
                                (dialect == DialectKind::Tcc || !is_signed(s.scalar.dtype()));
            if (narrow || literal.find("to_f") != std::string::npos) {
              define(s.value, literal);
            } else {
              text_of_[s.value.index] = std::move(literal);
            }
          },
          [&](const loops::IndexValue& s) {
            if (!s.guard.empty()) {
              define(s.value, fmt::format("{} ? {} : 0", index_.print_guard(s.guard),
                                          index_.print(s.index)));
            } else if (use_[s.value.index].count == 1 &&
                       (dialect == DialectKind::C99 || !use_[s.value.index].compared)) {
              text_of_[s.value.index] = index_.print_operand(s.index);
            } else {
              define(s.value, index_.print(s.index));
            }
          },
          [&](const loops::Load& s) {
            const loops::Array& array = kernel_.array(s.array);
            std::string source = load_text(s);
            if (array.is_scalar && last_write_[s.array.index] < position_) {
              text_of_[s.value.index] = arrays_[s.array.index];  // it keeps this value
            } else if (array.is_scalar && is_read_before_write(statements, at, s)) {
              text_of_[s.value.index] = arrays_[s.array.index];
            } else if (!s.guard.empty() && is_chosen_under_its_guard(statements, at, s)) {
              text_of_[s.value.index] = element_text(s);
            } else if (!s.guard.empty()) {
              define(s.value, source);
            } else if (may_move_to_use(statements, at, s.value, s.array)) {
              text_of_[s.value.index] = std::move(source);
            } else {
              define(s.value, source);
            }
          },
          [&](const loops::Select& s) {
            const auto* store = at + 1 < statements.size()
                                    ? std::get_if<loops::Store>(&statements[at + 1].node)
                                    : nullptr;
            if (store != nullptr && store->value == s.value && use_[s.value.index].count == 1) {
              text_of_[s.value.index] = select_text(s);
            } else {
              define(s.value, select_text(s));
            }
          },
          [&](const loops::Store& s) {
            if (declared_by_store_[s.array.index]) {
              declared_by_store_[s.array.index] = false;
              declare(s.array, text(s.value));
            } else {
              line("{}", store_text(s));
            }
          },
          [&](const loops::Accumulate& s) {
            const std::string target = element(s.array, s.index);
            const DType dtype = kernel_.array(s.array).dtype;
            if (s.op == air::ReduceOp::Add && is_float(dtype)) {
              line("{} += {};", target, without_parentheses(text(s.value)));
            } else {
              line("{} = {};", target, spell_reduce(s.op, dtype, target, text(s.value), uses_));
            }
          },
          [&](const loops::Bind& s) { bind(s); },
          [&](const loops::SortLine& s) { sort(s); },
          [&](const loops::Call& s) { call(s); },
          [&](const loops::Scratch& s) {
            if (is_declared_by_store(statements, at, s.array)) {
              declared_by_store_[s.array.index] = true;
            } else if (const Stmt* fill = zeros_of(statements, at, s.array)) {
              done_.insert(fill);
              const DType dtype = kernel_.array(s.array).dtype;
              declare(s.array, dtype == DType::Float64 ? "0.0" : is_float(dtype) ? "0.0f" : "0");
            } else {
              declare(s.array, "");
            }
          },
          [&](const loops::For& s) {
            const bool calls = s.kind == loops::LoopKind::Strip && dialect == DialectKind::Tcc &&
                               !(style_.optimised && is_for_compiler(s)) && strip(s);
            if (s.kind == loops::LoopKind::Parallel && !style_.workers.empty()) {
              parallel(s);
            } else if (!calls) {
              loop(s);
            }
          },
          [&](const loops::If& s) {
            const std::string condition = text(s.condition);
            if (condition.starts_with("(void)") && condition.ends_with(", 0")) {
              return;  // a comparison that no value changes, see spelling.cpp
            }
            line("if ({}) {{", condition);
            ++indent_;
            open();
            block(s.body);
            close();
            --indent_;
            line("}}");
          },
          [&](const loops::Comment& s) { comment(s); },
      },
      statements[at].node);
}

void BodyPrinter::block(const Block& statements) {
  for (size_t i = 0; i < statements.size(); ++i) {
    ++position_;
    statement(statements, i);
  }
}

KernelBody emit_body(index::Pool& pool, const loops::Kernel& kernel, const KernelNames& names,
                     const KernelStyle& style, LocalNames& locals, Uses& uses) {
  return BodyPrinter(pool, kernel, names, style, locals, uses).run();
}

}  // namespace caten::c
