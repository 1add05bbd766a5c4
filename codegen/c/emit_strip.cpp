// Strip loops as calls of vector routines, at most Tiling::strip elements at a time.
#include <algorithm>
#include <cctype>

#include "codegen/c/body_printer.h"
#include "codegen/loops/visit.h"
#include "ir/support/isa.h"

namespace caten::c {
namespace {

using index::ExprId;
using strip::Operand;
using strip::Step;

/// Rows that one call computes: what a call costs is little beside them, and it is not long until
/// the kernel looks for a Ctrl-C.
constexpr int kRowsOfCall = 64;

/// Results of so many bytes are not in a cache when they are read.
constexpr int64_t kPastCaches = int64_t{1} << 25;

bool is_identifier(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

/// The parameters of a routine, by what kind of step calls it.
std::string_view parameters(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::Unary:
      return "void *out, const void *a, int64_t n";
    case Step::Kind::Binary:
      return "void *out, const void *a, const void *b, int64_t n, int32_t scalars";
    case Step::Kind::Where:
      return "void *out, const void *c, const void *a, const void *b, int64_t n, int32_t scalars";
    case Step::Kind::Strided:
      return "void *out, const void *a, int64_t stride, int64_t n";
    case Step::Kind::Iota:
      return "void *out, int64_t start, int64_t step, int64_t n";
    case Step::Kind::Reduce:
      return "void *acc, const void *a, int64_t n";
    case Step::Kind::Dot:
      return "void *acc, const void *a, const void *b, int64_t n";
    case Step::Kind::Fused:
    case Step::Kind::Scalar:
      break;
  }
  CATEN_UNREACHABLE("no routine of the runtime");
}

/// A name that tells code apart from other code.
std::string name_of(const std::vector<uint8_t>& code) {
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (uint8_t byte : code) {
    hash = (hash ^ byte) * 0x100000001b3U;
  }
  return fmt::format("cv_{:016x}", hash);
}

}  // namespace

/// A pointer to the first element of a strip, or to the one element.
std::string BodyPrinter::strip_operand(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Slot:
      return slots_[operand.slot];
    case Operand::Kind::Memory: {
      const std::string& name = arrays_[operand.array.index];
      if (kernel_.array(operand.array).is_scalar) {
        return "&" + name;
      }
      return pool_.is(operand.index, 0) ? name : name + " + " + index_.print(operand.index);
    }
    case Operand::Kind::Scalar: {
      std::string& name = scalar_names_[operand.value.index];
      if (name.empty()) {
        name = text(operand.value);
        if (!is_identifier(name)) {
          const std::string given = locals_.declare("s");
          line("const {} {} = {};", c_value_type(operand.storage), given,
               without_parentheses(name));
          name = given;
        }
      }
      return "&" + name;
    }
    case Operand::Kind::Function:
      uses_.vector_functions.try_emplace(
          operand.function,
          fmt::format("void {}({});", operand.function, parameters(Step::Kind::Unary)));
      return operand.function;
    case Operand::Kind::Nothing:
      break;
  }
  CATEN_UNREACHABLE("an operand without a pointer");
}

void BodyPrinter::call(const loops::Call& call) {
  std::string arguments;
  std::string declaration;
  for (const loops::Call::Pointer& pointer : call.pointers) {
    const std::string& name = arrays_[pointer.array.index];
    arguments += arguments.empty() ? "" : ", ";
    arguments += pool_.is(pointer.index, 0) ? name : name + " + " + index_.print(pointer.index);
    declaration += declaration.empty() ? "" : ", ";
    declaration += pointer.written ? "void *" : "const void *";
  }
  for (index::ExprId number : call.numbers) {
    arguments += ", " + index_.print(number);
    declaration += ", int64_t";
  }
  uses_.vector_functions.try_emplace(call.function,
                                     fmt::format("void {}({});", call.function, declaration));
  line("{}({});", call.function, arguments);
}

void BodyPrinter::strip_call(const Step& step) {
  const std::string out = strip_operand(step.out);
  std::string inputs;
  int scalars = 0;
  for (size_t i = 0; i < step.in.size(); ++i) {
    inputs += ", " + strip_operand(step.in[i]);
    if (step.in[i].kind == Operand::Kind::Scalar) {
      scalars |= 1 << i;
    }
  }
  uses_.vector_functions.try_emplace(
      step.function, fmt::format("void {}({});", step.function, parameters(step.kind)));
  switch (step.kind) {
    case Step::Kind::Binary:
    case Step::Kind::Where:
      line("{}({}{}, {}, {});", step.function, out, inputs, count_, scalars);
      return;
    case Step::Kind::Strided:
      line("{}({}{}, {}, {});", step.function, out, inputs, step.stride, count_);
      return;
    case Step::Kind::Iota:
      line("{}({}, {}, {}, {});", step.function, out, index_.print(step.index), step.stride,
           count_);
      return;
    case Step::Kind::Unary:
    case Step::Kind::Reduce:
    case Step::Kind::Dot:
      line("{}({}{}, {});", step.function, out, inputs, count_);
      return;
    case Step::Kind::Fused:
    case Step::Kind::Scalar:
      break;
  }
  CATEN_UNREACHABLE("no routine of the runtime");
}

std::string BodyPrinter::routine_of(const std::vector<uint8_t>& code) {
  std::string name = name_of(code);
  const auto [entry, inserted] = uses_.machine_code.try_emplace(name, code);
  CATEN_CHECK(entry->second == code, "two routines have one hash");
  return name;
}

void BodyPrinter::pointer_array(const std::string& array, const std::vector<Operand>& operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Operand::Kind::Nothing) {
      continue;
    }
    const bool is_function = operands[i].kind == Operand::Kind::Function;
    const std::string pointer = strip_operand(operands[i]);
    line("{}[{}] = {}{};", array, i, is_function ? "(const void *)" : "", pointer);
  }
}

/// Which of the two routines of a step is called, as far as it is known; the size decides
/// otherwise.
std::string BodyPrinter::chosen_routine(const Step& step) {
  const loops::Array* array = step.past_caches.empty() ? nullptr : &kernel_.array(step.stored);
  if (array == nullptr || array->space != loops::ArraySpace::Buffer) {
    return routine_of(step.code);
  }
  const ExprId least = pool_.constant(kPastCaches / size_of(array->dtype));
  if (pool_.is_less(array->size, least)) {
    return routine_of(step.code);
  }
  if (pool_.is_less_equal(least, array->size)) {
    return routine_of(step.past_caches);
  }
  const std::string name = locals_.declare("run");
  line("void (*const {})(const void *const *, int64_t) = {} < {} ? {} : {};", name,
       index_.print_operand(array->size), index_.print(least), routine_of(step.code),
       routine_of(step.past_caches));
  return name;
}

void BodyPrinter::fused_call(const Step& step) {
  const std::string name = chosen_routine(step);
  const std::string array = locals_.declare("p");
  line("const void *{}[{}];", array, step.in.size());
  pointer_array(array, step.in);
  line("{}({}, {});", name, array, count_);
}

/// A loop from `begin` to `end` around strips as calls for several rows each; false, having printed
/// nothing, when it cannot be.
bool BodyPrinter::rows(const loops::For& loop, const std::string& begin, const std::string& end) {
  if (style_.dialect != DialectKind::Tcc || style_.optimised || isa() < Isa::Avx2) {
    return false;
  }
  const std::optional<strip::Rows> found =
      strip::build_rows(isa(), pool_, kernel_, loop, constants_);
  if (!found) {
    return false;
  }
  scalar_names_.clear();
  loops::for_each_stmt(loop.body, [&](const Stmt&) { ++position_; });
  open();
  const std::string i = locals_.declare("i");
  index_.name_range(loop.range, i);
  line("for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{", i, begin, end, kRowsOfCall);
  ++indent_;
  remember(i, "const int64_t");
  return_if_interrupted();
  for (const loops::ArrayId array : found->arrays) {
    declare(array, "");
  }
  const std::string pointers = locals_.declare("p");
  const std::string steps = locals_.declare("steps");
  line("const void *{}[{}];", pointers, found->in.size() + 1);
  line("int64_t {}[{}];", steps, found->in.size() + 1);
  pointer_array(pointers, found->in);
  line("{}[{}] = {};", pointers, found->in.size(), steps);
  line("{0}[0] = {1} - {2} < {3} ? {1} - {2} : {3};", steps, end, i, kRowsOfCall);
  for (size_t p = 0; p < found->in.size(); ++p) {
    if (found->in[p].kind == Operand::Kind::Memory) {
      const ExprId bytes = pool_.scale(found->steps[p], size_of(found->in[p].storage));
      line("{}[{}] = {};", steps, p + 1, index_.print(bytes));
    }
  }
  line("{}({}, {});", routine_of(found->code), pointers, index_.print(found->count));
  --indent_;
  line("}}");
  close();
  return true;
}

/// A statement that no routine computes: a loop over the elements of the strip.
void BodyPrinter::strip_scalar(const loops::For& loop, const strip::Body& body, const Step& step,
                               const std::string& at) {
  open();
  const std::string t = locals_.declare("t");
  index_.name_range(loop.range, fmt::format("({} + {})", at, t));
  line("for (int64_t {0} = 0; {0} < {1}; ++{0}) {{", t, count_);
  ++indent_;
  const auto element_at = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::Slot ? fmt::format("{}[{}]", slots_[operand.slot], t)
                                               : element(operand.array, operand.index);
  };
  for (const auto& [value, operand] : body.places) {
    if (operand.kind != Operand::Kind::Scalar) {
      text_of_[value.index] = element_at(operand);
    }
  }
  std::string expression;
  if (const auto* let = std::get_if<loops::Let>(&step.stmt->node)) {
    expression = op_text(*let);
  } else if (const auto* load = std::get_if<loops::Load>(&step.stmt->node)) {
    expression = load_text(*load);
  } else if (const auto* select = std::get_if<loops::Select>(&step.stmt->node)) {
    expression = select_text(*select);
  } else if (const auto* number = std::get_if<loops::IndexValue>(&step.stmt->node)) {
    expression = number->guard.empty()
                     ? index_.print(number->index)
                     : fmt::format("{} ? {} : 0", index_.print_guard(number->guard),
                                   index_.print(number->index));
  }
  if (const auto* store = std::get_if<loops::Store>(&step.stmt->node)) {
    line("{}", store_text(*store));
  } else {
    CATEN_CHECK(!expression.empty(), "a statement of a strip has no value");
    line("{} = {};", element_at(step.out), without_parentheses(expression));
  }
  --indent_;
  line("}}");
  index_.name_range(loop.range, at);
  close();
}

void BodyPrinter::strip_steps(const loops::For& loop, const strip::Body& body,
                              const std::string& at) {
  scalar_names_.clear();
  size_t invariant = 0;
  for (size_t i = 0; i < loop.body.size(); ++i) {
    ++position_;
    if (invariant < body.invariants.size() && body.invariants[invariant] == &loop.body[i]) {
      statement(loop.body, i);
      ++invariant;
    }
  }
  for (const Step& step : body.steps) {
    if (step.kind == Step::Kind::Scalar) {
      strip_scalar(loop, body, step, at);
    } else if (step.kind == Step::Kind::Fused) {
      fused_call(step);
    } else {
      strip_call(step);
    }
  }
}

/// Whether a C compiler makes vectors of the loop itself, to the same bits. It does not of sums,
/// whose lanes are the routines' own, of elementary functions and of 16-bit floats.
bool BodyPrinter::is_for_compiler(const loops::For& loop) const {
  return std::all_of(loop.body.begin(), loop.body.end(), [&](const Stmt& stmt) {
    if (const auto* let = std::get_if<loops::Let>(&stmt.node)) {
      return !air::info(let->op).has(air::kTranscendental) &&
             !is_half(kernel_.value(let->value).dtype);
    }
    if (const auto* load = std::get_if<loops::Load>(&stmt.node)) {
      return !is_half(kernel_.array(load->array).dtype);
    }
    if (const auto* store = std::get_if<loops::Store>(&stmt.node)) {
      return !is_half(kernel_.array(store->array).dtype);
    }
    return !std::holds_alternative<loops::Accumulate>(stmt.node);
  });
}

/// Prints the loop in strips; false, having printed nothing, when it cannot be.
bool BodyPrinter::strip(const loops::For& loop) {
  std::optional<strip::Body> body = strip::build(pool_, kernel_, loop);
  if (!body) {
    return false;
  }
  if (isa() >= Isa::Avx2 && !style_.optimised) {
    strip::fuse(isa(), constants_, *body);
  }
  open();
  const std::string at = locals_.declare("i");
  count_ = locals_.declare("n");
  const std::string begin = index_.print(loop.lo);
  const std::string end = index_.print_operand(loop.hi);
  slots_.clear();
  index_.name_range(loop.range, at);
  if (body->whole) {
    const bool runs = pool_.is_less(loop.lo, loop.hi);
    line("{}", runs ? std::string("{") : fmt::format("if ({} < {}) {{", begin, end));
    ++indent_;
    line("const int64_t {} = {};", at, begin);
    line("const int64_t {} = {} - {};", count_, end, at);
    strip_steps(loop, *body, at);
    --indent_;
    line("}}");
    close();
    return true;
  }
  line("{{");
  ++indent_;
  for (size_t slot = 0; slot < body->slots.size(); ++slot) {
    if (!body->uses_slot(slot)) {
      slots_.emplace_back();
      continue;
    }
    slots_.push_back(locals_.declare("v"));
    line("{} {}[{}];", c_value_type(body->slots[slot]), slots_.back(), style_.strip);
  }
  line("for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{", at, begin, end, style_.strip);
  ++indent_;
  if (asks_in_blocks(loop)) {
    return_if_interrupted();
  }
  line("const int64_t {0} = {1} - {2} < {3} ? {1} - {2} : {3};", count_, end, at, style_.strip);
  strip_steps(loop, *body, at);
  --indent_;
  line("}}");
  --indent_;
  line("}}");
  close();
  return true;
}

}  // namespace caten::c
