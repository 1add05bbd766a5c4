// See user_rules.h.
#include "frontend/tensor/user_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/session.h"
#include "ir/rewrite/rewriter.h"

namespace caten::tensor {
namespace {

using air::NodeId;
using air::Op;
using lisp::Interpreter;
using lisp::Value;
using rewrite::Match;
using rewrite::Pat;
using rewrite::Rewriter;

/// A right side: a variable, a number, a constant computed by a Lisp function, or an op.
struct Template {
  enum class Kind : uint8_t { Variable, Number, Computed, Apply };
  Kind kind = Kind::Variable;
  size_t slot = 0;
  Value value;  // Number: itself; Computed: the function
  Op op = Op::Const;
  std::vector<Template> args;
};

/// Reads one rule; variables get slots in the order of their first appearance.
class RuleReader {
 public:
  RuleReader(Interpreter& interp, std::string rule, std::deque<std::string>& names,
             RootedVector<Value>& functions, Value constants)
      : interp_(interp),
        rule_(std::move(rule)),
        names_(names),
        functions_(functions),
        constants_(lisp::expect_list_items(interp, constants, "the constants")) {}

  Pat left(Value form) {
    if (form.is_symbol()) {
      return variable(form);
    }
    if (lisp::is_number(form)) {
      return Pat(lisp::expect_real(interp_, form, "a number in a pattern"));
    }
    std::vector<Pat> args;
    const std::vector<Value> items = lisp::expect_list_items(interp_, form, "a pattern");
    const Op op = op_of(items);
    for (size_t i = 1; i < items.size(); ++i) {
      args.push_back(left(items[i]));
    }
    return Pat::apply(op, std::move(args));
  }

  Template right(Value form) {
    Template result;
    if (form.is_symbol()) {
      const auto slot = find(form);
      if (!slot) {
        fail(Diag::UndefinedVariable, interp_.current_span(),
             "the right side of `{}` uses `{}`, which its left side does not bind", rule_,
             interp_.print(form));
      }
      result.slot = *slot;
      return result;
    }
    if (lisp::is_number(form)) {
      result.kind = Template::Kind::Number;
      result.value = keep(form);
      return result;
    }
    const std::vector<Value> items = lisp::expect_list_items(interp_, form, "a right side");
    if (items.size() == 2 && items[0].is_symbol() && items[0] == interp_.keyword("CONST")) {
      result.kind = Template::Kind::Computed;
      result.value = keep(items[1]);
      return result;
    }
    result.kind = Template::Kind::Apply;
    result.op = op_of(items);
    for (size_t i = 1; i < items.size(); ++i) {
      result.args.push_back(right(items[i]));
    }
    return result;
  }

  Value keep(Value value) {
    functions_.push_back(value);
    return value;
  }

  /// The slots of the variables that match constants, in the order of the functions' parameters.
  std::vector<size_t> constant_slots() const {
    std::vector<size_t> slots;
    for (const Value name : constants_) {
      slots.push_back(*find(name));
    }
    return slots;
  }

 private:
  std::optional<size_t> find(Value name) const {
    const auto found = std::find(variables_.begin(), variables_.end(), name);
    return found == variables_.end()
               ? std::nullopt
               : std::optional(static_cast<size_t>(found - variables_.begin()));
  }

  Pat variable(Value name) {
    auto slot = find(name);
    if (!slot) {
      slot = variables_.size();
      if (*slot == rewrite::kSlots) {
        fail(Diag::Unsupported, interp_.current_span(), "`{}` has more than {} variables", rule_,
             rewrite::kSlots);
      }
      variables_.push_back(name);
      names_.push_back(interp_.print(name));
    }
    const bool is_constant =
        std::find(constants_.begin(), constants_.end(), name) != constants_.end();
    return Pat::variable(is_constant ? Pat::Kind::Constant : Pat::Kind::Any,
                         names_[names_.size() - variables_.size() + *slot], *slot);
  }

  Op op_of(const std::vector<Value>& items) {
    const auto op = air_op_of(interp_, items.empty() ? Value::nil() : items[0]);
    if (!op) {
      fail(Diag::UndefinedFunction, interp_.current_span(),
           "`{}`: `{}` is no elementwise AIR op without attributes", rule_,
           interp_.print(items.empty() ? Value::nil() : items[0]));
    }
    const auto arity = static_cast<size_t>(info(*op).arity);
    if (items.size() - 1 != arity) {
      fail(Diag::WrongArgumentCount, interp_.current_span(),
           "`{}`: `{}` takes {} operand{}, not {}", rule_, name(*op), arity, arity == 1 ? "" : "s",
           items.size() - 1);
    }
    return *op;
  }

  Interpreter& interp_;
  std::string rule_;
  std::deque<std::string>& names_;
  RootedVector<Value>& functions_;
  std::vector<Value> constants_;
  std::vector<Value> variables_;
};

std::vector<Value> constant_values(Interpreter& interp, const Match& match,
                                   const std::vector<size_t>& slots) {
  std::vector<Value> values;
  for (const size_t slot : slots) {
    const air::Node& node = match.graph[match.bound[slot]];
    values.push_back(scalar_value(interp, node.get<air::ConstAttr>().value));
  }
  return values;
}

/// Builds a right side and sees to it that dtypes and shapes agree.
class Instance {
 public:
  Instance(Interpreter& interp, Rewriter& rewriter,
           const std::array<NodeId, rewrite::kSlots>& bound, std::vector<Value> constants,
           const std::string& rule, Span span)
      : interp_(interp),
        rewriter_(rewriter),
        bound_(bound),
        constants_(std::move(constants)),
        rule_(rule),
        span_(span) {}

  NodeId build(const Template& form, DType dtype, const Shape& shape) {
    switch (form.kind) {
      case Template::Kind::Variable:
        return bound_[form.slot];
      case Template::Kind::Number:
        return rewriter_.constant(expect_scalar(interp_, form.value, dtype), shape);
      case Template::Kind::Computed:
        return rewriter_.constant(
            expect_scalar(interp_, interp_.call(form.value, constants_), dtype), shape);
      case Template::Kind::Apply:
        return apply(form, dtype, shape);
    }
    CATEN_UNREACHABLE("template {}", static_cast<int>(form.kind));
  }

 private:
  /// Numbers take the dtype of the other operands, or else of the result.
  NodeId apply(const Template& form, DType dtype, const Shape& shape) {
    std::vector<NodeId> inputs(form.args.size());
    const size_t first = form.op == Op::Where ? 1 : 0;
    std::optional<DType> operand;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (is_typed(form.args[i])) {
        inputs[i] = build(form.args[i], dtype, shape);
        if (i >= first && !operand) {
          operand = rewriter_.node(inputs[i]).dtype;
        }
      }
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const DType wanted = i < first ? DType::Bool : operand.value_or(dtype);
      if (!inputs[i].valid()) {
        inputs[i] = build(form.args[i], wanted, shape);
      }
      const air::Node& node = rewriter_.node(inputs[i]);
      if (node.dtype != wanted || node.shape != shape) {
        fail(Diag::WrongDtype, span_, "`{}`: an operand of `{}` is {} {}, where {} {} is needed",
             rule_, name(form.op), name(node.dtype), to_string(node.shape), name(wanted),
             to_string(shape));
      }
    }
    return rewriter_.elementwise(form.op, std::move(inputs));
  }

  static bool is_typed(const Template& form) {
    return form.kind == Template::Kind::Variable || form.kind == Template::Kind::Apply;
  }

  Interpreter& interp_;
  Rewriter& rewriter_;
  std::array<NodeId, rewrite::kSlots> bound_;
  std::vector<Value> constants_;
  const std::string& rule_;
  Span span_;
};

rewrite::Rule make_rule(Interpreter& interp, const std::string& name, Value rule,
                        std::deque<std::string>& names, RootedVector<Value>& functions) {
  const std::vector<Value> parts = lisp::expect_list_items(interp, rule, "a rule");
  RuleReader reader(interp, name, names, functions, parts[2]);
  Pat left = reader.left(parts[0]);
  const Template right = reader.right(parts[1]);
  const std::vector<size_t> slots = reader.constant_slots();
  const Value test = reader.keep(parts[3]);
  rewrite::Guard guard;
  if (test.truthy()) {
    guard = {"a condition in Lisp", [&interp, slots, test](const Match& match) {
               return interp.call(test, constant_values(interp, match, slots)).truthy();
             }};
  }
  const Span span = interp.current_span();
  rewrite::Build build = {
      interp.print(parts[1]),
      [&interp, slots, right, name, span](Rewriter& rewriter,
                                          const Match& match) -> std::optional<NodeId> {
        const DType dtype = match.root.dtype;
        const Shape shape = match.root.shape;
        const NodeId made = Instance(interp, rewriter, match.bound,
                                     constant_values(interp, match, slots), name, span)
                                .build(right, dtype, shape);
        const air::Node& node = rewriter.node(made);
        if (node.dtype != dtype || node.shape != shape) {
          fail(Diag::WrongDtype, span, "`{}` replaces a value of {} {} by one of {} {}", name,
               caten::name(dtype), to_string(shape), caten::name(node.dtype),
               to_string(node.shape));
        }
        return made;
      }};
  return {name, std::move(left), std::move(build), std::move(guard)};
}

}  // namespace

std::optional<air::Op> air_op_of(Interpreter& interp, Value symbol) {
  constexpr std::pair<std::string_view, Op> kAliases[] = {
      {"<", Op::Lt},  {"<=", Op::Le},    {"=", Op::Eq},         {"/=", Op::Ne},
      {"!=", Op::Ne}, {"EXPT", Op::Pow}, {"CEILING", Op::Ceil}, {"TRUNCATE", Op::Trunc}};
  if (!symbol.is_symbol()) {
    return std::nullopt;
  }
  const std::string_view text = lisp::expect_symbol(interp, symbol, "an op").name;
  std::optional<Op> op;
  for (const auto& [alias, meant] : kAliases) {
    if (alias == text) {
      op = meant;
    }
  }
  if (!op) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    op = air::op_from_name(lower);
  }
  if (!op || info(*op).has(air::kResultTyped)) {
    return std::nullopt;
  }
  const air::OpClass cls = info(*op).cls;
  const bool is_elementwise =
      cls == air::OpClass::Unary || cls == air::OpClass::Binary || cls == air::OpClass::Ternary;
  return is_elementwise ? op : std::nullopt;
}

UserRules::UserRules(Interpreter& interp) : interp_(interp), functions_(interp.heap()) {}

void UserRules::define(const std::string& name, Value rules) {
  auto table = std::make_unique<Table>();
  std::vector<rewrite::Rule> made;
  for (const Value rule : lisp::expect_list_items(interp_, rules, "the rules")) {
    made.push_back(make_rule(interp_, name, rule, table->names, functions_));
  }
  table->rules = std::make_unique<rewrite::RuleSet>(name, std::move(made), interp_.current_span());
  const auto old = std::find_if(tables_.begin(), tables_.end(),
                                [&](const auto& other) { return other->rules->name() == name; });
  if (old != tables_.end()) {
    *old = std::move(table);
  } else {
    tables_.push_back(std::move(table));
  }
  // Programs compiled so far do not know the rules.
  Compiler& compiler = session(interp_).compiler;
  compiler.context.user_rules = tables();
  compiler.forget_programs();
}

std::vector<const rewrite::RuleSet*> UserRules::tables() const {
  std::vector<const rewrite::RuleSet*> all;
  for (const auto& table : tables_) {
    all.push_back(table->rules.get());
  }
  return all;
}

void apply_module_rules(Interpreter& interp, RootedVector<Tensor*>& outputs) {
  if (interp.caten("*MODULE-RULES*").as<lisp::Symbol>()->value.is_nil()) {
    return;
  }
  std::vector<Value> items;
  for (const Tensor* output : outputs) {
    items.push_back(Value::object(output));
  }
  const Value changed = interp.call(interp.caten("APPLY-MODULE-RULES"), {interp.list(items)});
  size_t i = 0;
  for (const Value item : lisp::list_items(changed)) {
    outputs[i++] = &expect_tensor(interp, item, "an output");
  }
}

}  // namespace caten::tensor
