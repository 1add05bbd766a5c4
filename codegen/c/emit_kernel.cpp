// Statements of the loop IR as C. Every operation is a statement of its own; a load or constant
// stands where it is used when that is once and nothing comes between.
#include "codegen/c/emit_kernel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "codegen/c/body_printer.h"
#include "codegen/c/sort_helper.h"
#include "codegen/loops/visit.h"
#include "ir/support/check.h"
#include "ir/support/overloaded.h"
#include "runtime/interrupt.h"

namespace caten::c {
namespace {

constexpr std::string_view kLoopNames[] = {"i", "j", "k", "l", "m", "p", "q", "r"};
/// Expressions longer than this get a name: readers and TinyCC's parser both need it.
constexpr size_t kMaxNested = 72;

/// `name(...)` as a whole: binds as tightly as a name.
bool is_call(std::string_view text) {
  const size_t open = text.find('(');
  if (open == 0 || open == std::string_view::npos ||
      !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      })) {
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

/// Iterations between two looks for a Ctrl-C in a loop without others inside.
constexpr int64_t kInterruptBlock = int64_t{1} << 16;

/// A loop asks in every round if it has that many iterations of others inside.
constexpr int64_t kWorthAsking = 64;

/// A remark is one line.
constexpr size_t kMaxComment = 90;

}  // namespace

std::string broken_line(std::string line) {
  constexpr size_t kLineWidth = 100;
  std::string out;
  std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
  line.erase(0, indent.size());
  const size_t more = indent.size() + 4;
  while (indent.size() + line.size() > kLineWidth) {
    // The last place that the fewest parentheses enclose, not in the first third of the line.
    size_t end = 0;
    int least = 0;
    int depth = 0;
    const size_t limit = kLineWidth - indent.size();
    for (size_t at = 0; at < limit; ++at) {
      depth += line[at] == '(' || line[at] == '[' ? 1 : line[at] == ')' || line[at] == ']' ? -1 : 0;
      for (const std::string_view mark :
           {", ", " + ", " * ", " && ", " || ", " ? ", " : ", " = "}) {
        const size_t after = at + mark.size();
        if (after <= limit && after > limit / 3 &&
            std::string_view(line).substr(at, mark.size()) == mark &&
            (end == 0 || depth <= least)) {
          end = after;
          least = depth;
        }
      }
    }
    if (end == 0) {
      break;
    }
    out += indent + line.substr(0, end - 1) + "\n";
    line.erase(0, end);
    indent.assign(more, ' ');
  }
  return out + indent + line + "\n";
}

void BodyPrinter::put(std::string_view text) {
  std::string line(static_cast<size_t>(indent_) * 2, ' ');
  line += text;
  out_ += style_.dialect == DialectKind::C99 ? broken_line(std::move(line)) : line + "\n";
}

std::string BodyPrinter::element(loops::ArrayId array, index::ExprId position) {
  const loops::Array& info = kernel_.array(array);
  const std::string& name = arrays_[array.index];
  if (info.is_scalar) {
    return name;
  }
  return fmt::format("{}[{}]", name, index_.print(position));
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

std::string BodyPrinter::op_text(const loops::Let& let) {
  std::vector<std::string> args;
  for (ValueId arg : let.args) {
    args.push_back(text(arg));
  }
  const size_t typed = let.op == air::Op::Where ? 1 : 0;
  const DType from = kernel_.value(let.args[typed]).dtype;
  if (!is_float(from) && air::info(let.op).has(air::kCompare) && args[0] == args[1]) {
    return let.op == air::Op::Le || let.op == air::Op::Eq ? "1" : "0";
  }
  return spell(let.op, kernel_.value(let.value).dtype, from, args, style_.dialect, uses_);
}

/// A bool as C writes a condition. Operators bind as in C; `conditions_` has '|' or '&' for the
/// values whose text is of that kind, 'c' for comparisons and negations.
std::string BodyPrinter::condition_text(const loops::Let& let) {
  const auto kind_of = [&](ValueId value) {
    const auto known = conditions_.find(value.index);
    return known == conditions_.end() ? ' ' : known->second;
  };
  if (let.op == air::Op::Not) {
    conditions_[let.value.index] = 'c';
    const std::string& operand = text(let.args[0]);
    return kind_of(let.args[0]) == ' ' ? "!" + operand : "!(" + operand + ")";
  }
  if (let.op == air::Op::And || let.op == air::Op::Or) {
    const char kind = let.op == air::Op::And ? '&' : '|';
    conditions_[let.value.index] = kind;
    const auto operand = [&](ValueId value) {
      const char inner = kind_of(value);
      const bool mixed = (inner == '&' || inner == '|') && inner != kind;
      return mixed ? "(" + text(value) + ")" : text(value);
    };
    return fmt::format("{} {} {}", operand(let.args[0]), kind == '&' ? "&&" : "||",
                       operand(let.args[1]));
  }
  conditions_[let.value.index] = 'c';
  std::string out = op_text(let);
  constexpr std::string_view kCast = "(uint8_t)(";
  if (out.starts_with(kCast) && out.ends_with(")")) {
    out = out.substr(kCast.size(), out.size() - kCast.size() - 1);
  }
  return out;
}

/// An element as it is computed with.
std::string BodyPrinter::element_text(const loops::Load& load) {
  const loops::Array& array = kernel_.array(load.array);
  std::string source = element(load.array, load.index);
  if (!array.widened && !array.is_scalar) {
    source = spell_load(array.dtype, source, style_.dialect, uses_);
  }
  return source;
}

/// The same; 0 where the guard does not hold.
std::string BodyPrinter::load_text(const loops::Load& load) {
  const loops::Array& array = kernel_.array(load.array);
  std::string source = element_text(load);
  if (load.guard.empty()) {
    return source;
  }
  const char* zero = array.dtype == DType::Float64 ? "0.0" : is_float(array.dtype) ? "0.0f" : "0";
  return fmt::format("{} ? {} : {}", index_.print_guard(load.guard), source, zero);
}

std::string BodyPrinter::select_text(const loops::Select& select) {
  std::string expression;
  for (size_t i = 0; i < select.cases.size(); ++i) {
    std::string guard = index_.print_guard(select.cases[i]);
    if (select.cases[i].size() > 1) {
      guard = "(" + guard + ")";
    }
    expression += fmt::format("{} ? {} : ", guard, text(select.args[i]));
  }
  return expression + text(select.args.back());
}

std::string BodyPrinter::store_text(const loops::Store& store) {
  const loops::Array& array = kernel_.array(store.array);
  std::string value = text(store.value);
  if (!array.widened && !array.is_scalar) {
    value = spell_store(array.dtype, value, style_.dialect, uses_);
  }
  return fmt::format("{} = {};", element(store.array, store.index), without_parentheses(value));
}

void BodyPrinter::bind(const loops::Bind& bind) {
  const index::ExprId extent = pool_.range_info(bind.range).extent;
  const std::string size = index_.print_operand(extent);
  const std::string given = text(bind.value);
  const std::string offset = index_.print(bind.offset);
  const std::string name = locals_.declare("at");
  const std::string start =
      pool_.is(bind.offset, 0) ? given : fmt::format("{} + {}", given, offset);
  if (!bind.checked) {
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

void BodyPrinter::declare(loops::ArrayId id, const std::string& initial) {
  const loops::Array& array = kernel_.array(id);
  const std::string_view type =
      array.widened || array.is_scalar ? c_value_type(array.dtype) : c_storage_type(array.dtype);
  std::string& name = arrays_[id.index];
  name = locals_.declare(style_.labelled && !array.label.empty() ? array.label
                         : array.is_scalar                       ? "acc"
                                                                 : "row");
  if (array.is_scalar) {
    const bool once = !initial.empty() && writes_[id.index] == 1;
    line("{}{} {}{};", once ? "const " : "", type, name,
         initial.empty() ? "" : " = " + without_parentheses(initial));
    remember(name, fmt::format("const {}", type));
    return;
  }
  if (array.space == loops::ArraySpace::Worker) {
    line("{0} *const {1} = ({0} *)(scratch + {2});", type, name, index_.print_operand(array.place));
    remember(name, fmt::format("{} *const", type));
    return;
  }
  remember(name, fmt::format("{} *const", type));
  const std::optional<int64_t> size = pool_.constant_value(array.size);
  CATEN_CHECK(size.has_value(), "scratch `{}` has no constant size", name);
  line("{} {}[{}]{};", type, name, std::max<int64_t>(*size, 1),
       initial.empty() ? "" : fmt::format(" = {{{}}}", initial));
}

/// The loop that fills the scratch with zeros before anything else happens to it, which C can say
/// in the declaration; or null.
const Stmt* BodyPrinter::zeros_of(const Block& statements, size_t at, loops::ArrayId array) {
  // Declarations and other such loops may come between.
  for (size_t i = at + 1; i < statements.size(); ++i) {
    const auto* loop = std::get_if<loops::For>(&statements[i].node);
    if (loop != nullptr && is_zero_fill(*loop, array)) {
      return &statements[i];
    }
    const bool harmless = std::holds_alternative<loops::Scratch>(statements[i].node) ||
                          std::holds_alternative<loops::Constant>(statements[i].node) ||
                          (loop != nullptr && loop->body.size() <= 2 &&
                           std::holds_alternative<loops::Store>(loop->body.back().node) &&
                           std::get<loops::Store>(loop->body.back().node).array != array &&
                           (loop->body.size() == 1 ||
                            std::holds_alternative<loops::Constant>(loop->body.front().node)));
    if (!harmless) {
      return nullptr;
    }
  }
  return nullptr;
}

bool BodyPrinter::is_zero_fill(const loops::For& filler, loops::ArrayId array) {
  const loops::For* const loop = &filler;
  const loops::Array& info = kernel_.array(array);
  if (style_.dialect != DialectKind::C99 || info.is_scalar ||
      info.space != loops::ArraySpace::Scratch || !pool_.is(loop->lo, 0) || loop->hi != info.size) {
    return false;
  }
  const auto* store = std::get_if<loops::Store>(&loop->body.back().node);
  if (store == nullptr || store->array != array ||
      pool_.as_range(store->index) != std::optional(loop->range)) {
    return false;
  }
  // The zero stands in the loop or was moved before it, maybe out of loops around.
  const Scalar* zero_value = nullptr;
  loops::for_each_stmt(kernel_.body, [&](const Stmt& stmt) {
    const auto* constant = std::get_if<loops::Constant>(&stmt.node);
    if (constant != nullptr && constant->value == store->value) {
      zero_value = &constant->scalar;
    }
  });
  const size_t others = std::holds_alternative<loops::Constant>(loop->body.front().node) ? 1 : 0;
  if (zero_value == nullptr || loop->body.size() != others + 1) {
    return false;
  }
  const std::string zero = spell_constant(*zero_value, style_.dialect, uses_);
  return zero == "0" || zero == "0.0f" || zero == "0.0";
}

/// Iterations of the loops in a body, as far as known; at least 0.
int64_t BodyPrinter::inner_iterations(const Block& body) const {
  constexpr int64_t kUnknown = 1024;
  int64_t sum = 0;
  loops::for_each_stmt(body, [&](const Stmt& stmt) {
    if (const auto* inner = std::get_if<loops::For>(&stmt.node)) {
      sum += pool_.constant_value(pool_.range_info(inner->range).extent).value_or(kUnknown);
    }
  });
  return sum;
}

/// Whether a loop outside of all others, with none inside, may run so long that it must ask on its
/// way.
bool BodyPrinter::asks_in_blocks(const loops::For& loop) const {
  return style_.detail && loop_depth_ == 0 && !in_part_ &&
         inner_iterations(loop.body) < kWorthAsking &&
         pool_.constant_value(pool_.range_info(loop.range).extent).value_or(INT64_MAX) >
             kInterruptBlock;
}

/// Guarded: without -fopenmp the pragma would be one that compilers do not know.
void BodyPrinter::openmp(const loops::For& loop) {
  constexpr std::string_view kWorthwhile = "50e6";  // picoseconds
  const bool known = pool_.constant_value(pool_.mul(loop.hi, loop.cost)).has_value();
  out_ += "#ifdef _OPENMP\n#pragma omp parallel for";
  if (!known) {
    out_ += fmt::format(" if ((double)({}) * (double)({}) > {})", index_.print(loop.hi),
                        index_.print(loop.cost), kWorthwhile);
  }
  out_ += "\n#endif\n";
}

void BodyPrinter::loop(const loops::For& loop) {
  if (style_.openmp && loop.kind == loops::LoopKind::Parallel) {
    openmp(loop);
  }
  std::string wanted(kLoopNames[0]);
  for (std::string_view candidate : kLoopNames) {
    if (!locals_.is_taken(std::string(candidate))) {
      wanted = candidate;
      break;
    }
  }
  open();
  const bool blocks = asks_in_blocks(loop);
  if (blocks) {
    const std::string start = locals_.declare("block");
    const std::string end = locals_.declare("end");
    const std::string hi = index_.print_operand(loop.hi);
    line("for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{", start, index_.print(loop.lo), hi,
         kInterruptBlock);
    ++indent_;
    return_if_interrupted();
    line("const int64_t {0} = {1} - {2} < {3} ? {1} : {2} + {3};", end, hi, start, kInterruptBlock);
    const std::string name = locals_.declare(wanted);
    index_.name_range(loop.range, name);
    line("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", name, start, end);
    ++indent_;
    remember(name, "const int64_t");
  } else {
    const std::string name = locals_.declare(wanted);
    index_.name_range(loop.range, name);
    line("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", name, index_.print(loop.lo),
         index_.print(loop.hi));
    ++indent_;
    remember(name, "const int64_t");
    ask_for_interrupt(loop);
  }
  ++loop_depth_;
  block(loop.body);
  --loop_depth_;
  --indent_;
  line("}}");
  if (blocks) {
    --indent_;
    line("}}");
  }
  close();
}

/// A kernel that runs in this process ends early when the user presses Ctrl-C.
void BodyPrinter::ask_for_interrupt(const loops::For& loop) {
  if (style_.detail && inner_iterations(loop.body) >= kWorthAsking) {
    return_if_interrupted();
  }
}

void BodyPrinter::return_if_interrupted() {
  uses_.functions.insert("ct_interrupted");
  line("if (ct_interrupted()) {{");
  if (in_part_) {
    line("  return;");
  } else {
    line("  return {};", runtime::kInterruptedStatus);
  }
  line("}}");
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
              declare(s.array, is_float(kernel_.array(s.array).dtype) ? "0.0f" : "0");
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
            line("if ({}) {{", text(s.condition));
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
