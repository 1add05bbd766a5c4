// Sizes and shapes in Lisp: arithmetic on size expressions, dtype promotion, `st` and `bc`.
#include <functional>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/session.h"
#include "frontend/tensor/unify.h"

namespace caten::lisp {
namespace {

using tensor::Tensor;

// Arithmetic on sizes.

Dim fold(Interpreter& interp, std::span<Value> args, Dim first,
         const std::function<Dim(const Dim&, const Dim&)>& step) {
  Dim result = std::move(first);
  for (const Value arg : args) {
    result = step(result, tensor::expect_dim(interp, arg, "a size"));
  }
  return result;
}

Value dim_add(Interpreter& interp, std::span<Value> args) {
  return tensor::dim_value(
      interp, fold(interp, args, Dim(0), [](const Dim& a, const Dim& b) { return a + b; }));
}
Value dim_multiply(Interpreter& interp, std::span<Value> args) {
  return tensor::dim_value(
      interp, fold(interp, args, Dim(1), [](const Dim& a, const Dim& b) { return a * b; }));
}
Value dim_subtract(Interpreter& interp, std::span<Value> args) {
  const Dim first = tensor::expect_dim(interp, args[0], "a size");
  if (args.size() == 1) {
    return tensor::dim_value(interp, Dim(0) - first);
  }
  return tensor::dim_value(interp, fold(interp, args.subspan(1), first,
                                        [](const Dim& a, const Dim& b) { return a - b; }));
}

template <Dim (*apply)(const Dim&, const Dim&)>
Value dim_binary(Interpreter& interp, std::span<Value> args) {
  return tensor::dim_value(interp, apply(tensor::expect_dim(interp, args[0], "a size"),
                                         tensor::expect_dim(interp, args[1], "a size")));
}
template <Dim (*apply)(const Dim&, const Dim&)>
Value dim_extreme(Interpreter& interp, std::span<Value> args) {
  return tensor::dim_value(
      interp, fold(interp, args.subspan(1), tensor::expect_dim(interp, args[0], "a size"), apply));
}
Value dim_equal(Interpreter& interp, std::span<Value> args) {
  return Value::boolean(tensor::expect_dim(interp, args[0], "a size") ==
                        tensor::expect_dim(interp, args[1], "a size"));
}

Value promote_dtypes(Interpreter& interp, std::span<Value> args) {
  const DType a = tensor::expect_dtype(interp, args[0], "the first dtype");
  const DType b = tensor::expect_dtype(interp, args[1], "the second dtype");
  const auto promoted = promote(a, b);
  if (!promoted) {
    fail(Diag::WrongDtype, interp.current_span(),
         "{} and {} have no common dtype; cast one of them", name(a), name(b));
  }
  return tensor::dtype_value(interp, *promoted);
}

/// (%broadcast-shapes a b): NumPy's rule. Sizes that may differ are left to the checks of `expand`.
Value broadcast_shapes(Interpreter& interp, std::span<Value> args) {
  const Shape a = tensor::expect_shape(interp, args[0], "the first shape");
  const Shape b = tensor::expect_shape(interp, args[1], "the second shape");
  std::vector<air::SizeCheck> checks;
  return tensor::shape_value(
      interp,
      notation::broadcast_shapes(a, b, fmt::format("shapes {} and {}", to_string(a), to_string(b)),
                                 checks, interp.current_span()));
}

/// (%fail :kind "format" args…): an error of the kind (a row of diagnostics.def) at the user's
/// form.
Value raise_failure(Interpreter& interp, std::span<Value> args) {
  std::string kind_name(expect_symbol(interp, args[0], "the kind").name);
  for (char& c : kind_name) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::vector<Value> format_args = {Value::nil()};
  format_args.insert(format_args.end(), args.begin() + 1, args.end());
  const Value text = interp.call(interp.cl("FORMAT"), format_args);
  const std::string message = expect_string(interp, text, "the message").utf8();
  for (const DiagInfo& info : diagnostics()) {
    if (info.name == kind_name && !info.warning) {
      throw CompileError(info.kind, interp.current_span(), message);
    }
  }
  wrong_type(interp, args[0], "the kind", "a row of diagnostics.def as a keyword");
}

// The shape notation.

/// The span of a string literal, known to the macro, as arguments of the function it expands to.
Value span_list(Interpreter& interp, Span span) {
  return interp.list(
      {Value::fixnum(span.file), Value::fixnum(span.begin), Value::fixnum(span.end)});
}

/// (st "…" (x y) (:name . form) …) → (%st "…" '(span) (list x y) (list (cons :name form) …))
Value expand_notation(Interpreter& interp, Value form, std::string_view macro,
                      std::string_view function) {
  const std::vector<Value> items = expect_list_items(interp, form, macro);
  if (items.size() < 3) {
    fail(Diag::WrongArgumentCount, span_of(form),
         "`{}` needs a notation and a list of tensors: ({} \"A[~] -> A[~]\" (x))", macro, macro);
  }
  const Value list = interp.cl("LIST");
  std::vector<Value> clauses = {list};
  for (size_t i = 3; i < items.size(); ++i) {
    if (!items[i].is_cons() || !car(items[i]).is_symbol()) {
      fail(Diag::ShapeNotation, span_of(form), "`{}` is no where clause of `{}`: (:name . form)",
           interp.print(items[i]), macro);
    }
    clauses.push_back(interp.list(
        {interp.cl("CONS"), interp.list({interp.cl("QUOTE"), car(items[i])}), cdr(items[i])}));
  }
  const Span literal = items[1].is<String>() ? span_of(cdr(form)) : Span{};
  return interp.list({interp.caten(function), items[1],
                      interp.list({interp.cl("QUOTE"), span_list(interp, literal)}),
                      interp.cons(list, items[2]), interp.list(clauses)});
}

Value expand_st(Interpreter& interp, Value form, const Environment* /*env*/) {
  return expand_notation(interp, form, "st", "%ST");
}
Value expand_bc(Interpreter& interp, Value form, const Environment* /*env*/) {
  return expand_notation(interp, form, "bc", "%BC");
}

struct NotationCall {
  notation::Notation notation;
  std::vector<notation::Operand> operands;
  notation::Clauses clauses;
  Span form;
};

std::vector<notation::Operand> operands_of(RootedVector<Tensor*>& tensors) {
  std::vector<notation::Operand> operands;
  for (const Tensor* t : tensors) {
    operands.push_back({t->shape, t->dtype, t->order, t->name, t->span});
  }
  return operands;
}

notation::Clauses expect_clauses(Interpreter& interp, Value list) {
  notation::Clauses clauses;
  for (const Value clause : list_items(list)) {
    std::string key = tensor::size_name(expect_symbol(interp, car(clause), "a where clause"));
    const Value value = cdr(clause);
    const std::string what = fmt::format("the where clause `{}`", key);
    if (key == "dtype") {
      clauses.dtype = tensor::expect_dtype(interp, value, what);
    } else if (key == "order") {
      clauses.order = tensor::expect_order(interp, value, what);
    } else if (key.starts_with('~')) {
      clauses.bindings.push_back(
          {key.substr(1), true, tensor::expect_shape(interp, value, what), interp.current_span()});
    } else {
      clauses.bindings.push_back(
          {key, false, {tensor::expect_size(interp, value, what)}, interp.current_span()});
    }
  }
  return clauses;
}

NotationCall expect_call(Interpreter& interp, std::span<Value> args,
                         RootedVector<Tensor*>& tensors) {
  NotationCall call;
  call.form = interp.current_span();
  Span literal;
  const std::vector<Value> span = expect_list_items(interp, args[1], "a span");
  const auto at = [&](size_t i) { return static_cast<uint32_t>(integer_value(span[i])); };
  // Notations of the library itself are no place to show to the user.
  if (span.size() == 3 && at(0) == call.form.file) {
    literal = {at(0), at(1), at(2)};
  }
  call.notation = notation::parse(expect_string(interp, args[0], "the notation").utf8(),
                                  literal.known() ? literal : call.form);
  tensor::collect_tensors(interp, args[2], "tensor", tensors);
  call.operands = operands_of(tensors);
  call.clauses = expect_clauses(interp, args[3]);
  return call;
}

Value unify_notation(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> tensors(interp.heap());
  const NotationCall call = expect_call(interp, args, tensors);
  const notation::Unified unified = notation::unify(call.notation, call.operands, call.clauses,
                                                    call.form, tensor::default_float(interp));
  std::vector<Value> results;
  for (const notation::Result& result : unified.results) {
    Tensor* made = tensor::new_tensor(interp, result.shape, result.dtype, result.order);
    made->checks = unified.checks;
    results.push_back(Value::object(made));
  }
  return interp.set_values(results);
}

Value broadcast_notation(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> tensors(interp.heap());
  const NotationCall call = expect_call(interp, args, tensors);
  const notation::Unified unified = notation::broadcast(call.notation, call.operands, call.clauses,
                                                        call.form, tensor::default_float(interp));
  RootedVector<Value> results(interp.heap());
  for (const notation::Result& result : unified.results) {
    Tensor* source = tensors[static_cast<size_t>(result.source)];
    if (source->shape == result.shape) {
      results.push_back(Value::object(source));
      continue;
    }
    const Value shape = tensor::shape_value(interp, result.shape);
    results.push_back(interp.call(interp.caten("BROADCAST-TO"), {Value::object(source), shape}));
  }
  return interp.set_values(results.span());
}

/// (%bind-terms "Tokens[Batch Seq] Start[]" tensors): ((name . size or sizes) …), names as strings.
Value bind_terms(Interpreter& interp, std::span<Value> args) {
  RootedVector<Tensor*> tensors(interp.heap());
  tensor::collect_tensors(interp, args[1], "tensor", tensors);
  const std::vector<notation::Term> terms = notation::parse_terms(
      expect_string(interp, args[0], "the notation").utf8(), interp.current_span());
  const notation::Unified unified =
      notation::bind(terms, operands_of(tensors), interp.current_span());
  std::vector<Value> pairs;
  for (const auto& [name, size] : unified.sizes) {
    pairs.push_back(interp.cons(interp.string(name), tensor::dim_value(interp, size)));
  }
  for (const auto& [name, sizes] : unified.lists) {
    pairs.push_back(interp.cons(interp.string("~" + name), tensor::shape_value(interp, sizes)));
  }
  return interp.list(pairs);
}

// clang-format off
constexpr Builtin kShapeBuiltins[] = {
    {"DIM+", "CATEN", 0, -1, "the sum of sizes", dim_add},
    {"DIM-", "CATEN", 1, -1, "the difference of sizes", dim_subtract},
    {"DIM*", "CATEN", 0, -1, "the product of sizes", dim_multiply},
    {"DIM-FLOOR-DIV", "CATEN", 2, 2, "a size divided, rounded down", dim_binary<Dim::floor_div>},
    {"DIM-CEIL-DIV", "CATEN", 2, 2, "a size divided, rounded up", dim_binary<Dim::ceil_div>},
    {"DIM-MOD", "CATEN", 2, 2, "the remainder of a size", dim_binary<Dim::mod>},
    {"DIM-MAX", "CATEN", 1, -1, "the greatest of sizes", dim_extreme<Dim::max>},
    {"DIM-MIN", "CATEN", 1, -1, "the least of sizes", dim_extreme<Dim::min>},
    {"DIM=", "CATEN", 2, 2, "whether two sizes are equal for all values of their symbols", dim_equal},
    {"PROMOTE-DTYPES", "CATEN", 2, 2, "the dtype of an operation on two dtypes", promote_dtypes},
    {"%BROADCAST-SHAPES", "CATEN", 2, 2, "the shape to which two shapes broadcast", broadcast_shapes},
    {"%FAIL", "CATEN", 2, -1, "(%fail :kind format args…): an error at the user's form", raise_failure},
    {"%ST", "CATEN", 4, 4, "fresh tensors from a shape notation", unify_notation},
    {"%BC", "CATEN", 4, 4, "inputs broadcast by a shape notation", broadcast_notation},
    {"%BIND-TERMS", "CATEN", 2, 2, "names of shape terms bound to the sizes of tensors", bind_terms},
};
constexpr MacroRow kShapeMacros[] = {
    {"ST", "CATEN", "(st \"A[~] B[~] -> A[~]\" (x y) (:name . form) …): fresh tensors for the outputs of an op", expand_st},
    {"BC", "CATEN", "(bc \"A[~] B[~] -> A[~] B[~]\" (x y)): the inputs broadcast against each other", expand_bc},
};
// clang-format on

}  // namespace

std::span<const Builtin> shape_builtins() {
  return kShapeBuiltins;
}
std::span<const MacroRow> shape_macros() {
  return kShapeMacros;
}

}  // namespace caten::lisp
