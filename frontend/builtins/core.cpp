// Functions of the evaluator: calling, evaluating, names and their cells, packages, loading.
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/image.h"
#include "frontend/lisp/vm.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Value keep_values(Interpreter& interp, Value primary) {
  std::vector<Value> values = interp.values_after(primary);
  return interp.set_values(values);
}

Value funcall(Interpreter& interp, Args args) {
  return keep_values(interp, interp.call(args[0], args.subspan(1)));
}

Value apply(Interpreter& interp, Args args) {
  std::vector<Value> spread(args.begin() + 1, args.end() - 1);
  for (Value item : expect_list_items(interp, args.back(), "the last argument of `apply`")) {
    spread.push_back(item);
  }
  return keep_values(interp, interp.call(args[0], spread));
}

Value values(Interpreter& interp, Args args) {
  return interp.set_values(args);
}

Value values_list(Interpreter& interp, Args args) {
  return interp.set_values(expect_list_items(interp, args[0], "list"));
}

Value eval(Interpreter& interp, Args args) {
  return keep_values(interp, interp.eval(args[0]));
}

const Environment* environment_of(Interpreter& interp, Args args) {
  Value env = arg_or(args, 1);
  return env.is_nil() ? nullptr : expect_object<EnvironmentObject>(interp, env, "environment").env;
}

Value macroexpand_1(Interpreter& interp, Args args) {
  bool expanded = false;
  Value form = interp.macroexpand_1(args[0], environment_of(interp, args), &expanded);
  return interp.set_values({form, Value::boolean(expanded)});
}

Value macroexpand(Interpreter& interp, Args args) {
  Value form = interp.macroexpand(args[0], environment_of(interp, args));
  return interp.set_values({form, Value::boolean(form != args[0])});
}

Value call_macro(Interpreter& interp, Args args) {
  auto& macro = *interp.callee().data[0].as<Macro>();
  if (macro.native != nullptr) {
    return macro.native(interp, args[0], environment_of(interp, args));
  }
  return interp.call(macro.expander, {args[0], arg_or(args, 1)});
}

Value macro_function(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "name");
  Value macro = interp.macro_function(args[0], environment_of(interp, args));
  return macro.is_none() ? Value::nil() : interp.native("MACRO", call_macro, 1, 2, {macro});
}

Value special_operator_p(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "name");
  return Value::boolean(interp.is_special_form(args[0]));
}

// --- names -------------------------------------------------------

Value fboundp(Interpreter& interp, Args args) {
  if (auto* symbol = args[0].try_as<Symbol>()) {
    return Value::boolean(!symbol->function.is_none());
  }
  return Value::boolean(!interp.function_of(args[0]).is_none());
}

Value fdefinition(Interpreter& interp, Args args) {
  return interp.coerce_to_function(args[0]);
}

Value set_fdefinition(Interpreter& interp, Args args) {
  interp.set_function(args[0], expect_function(interp, args[1], "function"));
  return args[1];
}

Value fmakunbound(Interpreter& interp, Args args) {
  interp.set_function(args[0], Value());
  if (Warnings* warnings = Warnings::of(interp)) {
    warnings->forget_definition(args[0]);
  }
  return args[0];
}

Value boundp(Interpreter& interp, Args args) {
  return Value::boolean(!expect_symbol(interp, args[0], "symbol").value.is_none());
}

Value symbol_value(Interpreter& interp, Args args) {
  Symbol& symbol = expect_symbol(interp, args[0], "symbol");
  if (symbol.value.is_none()) {
    interp.vm().unbound_variable(args[0], Value());
  }
  return symbol.value;
}

Value set(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "symbol");
  interp.set_symbol_value(args[0], args[1]);
  return args[1];
}

Value makunbound(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "symbol");
  interp.set_symbol_value(args[0], Value());
  return args[0];
}

Value proclaim_special(Interpreter& interp, Args args) {
  for (Value symbol : args) {
    if (!expect_symbol(interp, symbol, "symbol").has(kSpecial)) {
      interp.check_lock(symbol);
    }
    interp.proclaim_special(symbol);
  }
  return Value::nil();
}

// (%define-constant name value): redefining it with an EQUAL value is fine.
Value define_constant(Interpreter& interp, Args args) {
  Symbol& symbol = expect_symbol(interp, args[0], "name");
  if (symbol.has(kConstant)) {
    if (!equal(symbol.value, args[1])) {
      fail(Diag::ConstantAssignment, interp.current_span(), "constant `{}` is already {}; not {}",
           symbol_label(symbol), interp.print(symbol.value), interp.print(args[1]));
    }
    return args[0];
  }
  interp.check_lock(args[0]);
  symbol.value = args[1];
  symbol.flags |= kSpecial | kConstant;
  return args[0];
}

Value define_function(Interpreter& interp, Args args) {
  if (Warnings* warnings = Warnings::of(interp)) {
    warnings->note_definition(Warnings::Thing::Function, args[0]);
  }
  interp.set_function(args[0], args[1]);
  return args[0];
}

Value define_macro(Interpreter& interp, Args args) {
  if (Warnings* warnings = Warnings::of(interp)) {
    warnings->note_definition(Warnings::Thing::Macro, args[0]);
  }
  interp.set_function(args[0], Value::object(interp.heap().make<Macro>(args[0], nullptr, args[1])));
  return args[0];
}

Value documentation(Interpreter& interp, Args args) {
  Value function = args[0].is_function() ? args[0] : interp.function_of(args[0]);
  if (const Symbol* name = args[0].try_as<Symbol>(); name != nullptr && function.is_none()) {
    const Macro* macro = name->function.try_as<Macro>();
    function = macro == nullptr ? Value() : macro->expander;
  }
  if (function.is_none()) {
    return Value::nil();
  }
  if (auto* closure = function.try_as<Closure>()) {
    make_ready(interp, *closure->code);
    return closure->code->doc.empty() ? Value::nil() : interp.string(closure->code->doc);
  }
  if (auto* native = function.try_as<NativeFunction>(); native != nullptr && native->doc) {
    return interp.string(std::string_view(native->doc));
  }
  return Value::nil();
}

// (%progv symbols values function)
Value progv(Interpreter& interp, Args args) {
  size_t depth = interp.vm().dynamic_depth();
  Value values = args[1];
  for (Value symbol : expect_list_items(interp, args[0], "symbols")) {
    Symbol& object = expect_symbol(interp, symbol, "variable");
    if (object.has(kConstant)) {
      fail(Diag::ConstantAssignment, interp.current_span(),
           "`{}` is a constant and cannot be bound", symbol_label(object));
    }
    interp.vm().bind(symbol, values.is_cons() ? car(values) : Value());
    values = cdr(values);
  }
  Value result = interp.call(args[2], {});
  std::vector<Value> all = interp.values_after(result);
  interp.vm().unwind_to(depth);
  return interp.set_values(all);
}

// --- lists that macros expand into -------------------------------

Value list_star(Interpreter& interp, Args args) {
  return interp.list(args.first(args.size() - 1), args.back());
}

// Copies all lists but the last.
Value append_lists(Interpreter& interp, Args args) {
  Value out = args.empty() ? Value::nil() : args.back();
  for (size_t i = args.empty() ? 0 : args.size() - 1; i-- > 0;) {
    out = interp.list(expect_list_items(interp, args[i], "spliced object"), out);
  }
  return out;
}

Value list_to_vector(Interpreter& interp, Args args) {
  return interp.vector(expect_list_items(interp, args[0], "list"));
}

[[noreturn]] void destructuring_mismatch(Interpreter& interp, Value context, const char* problem) {
  fail(Diag::WrongArgumentCount, interp.current_span(), "{}: {}", interp.print(context, false),
       problem);
}

Value destructure_car(Interpreter& interp, Args args) {
  if (!args[0].is_cons()) {
    destructuring_mismatch(interp, args[1], "too few elements for its lambda list");
  }
  return car(args[0]);
}

Value destructure_end(Interpreter& interp, Args args) {
  if (!args[0].is_nil()) {
    destructuring_mismatch(interp, args[1], "too many elements for its lambda list");
  }
  return Value::nil();
}

// The tail of a property list that starts with the key's value, or NIL.
Value destructure_key(Interpreter&, Args args) {
  for (Value rest = args[0]; rest.is_cons(); rest = cddr(rest)) {
    if (car(rest) == args[1]) {
      return cdr(rest);
    }
  }
  return Value::nil();
}

// (%destructure-keys plist known allow context)
Value destructure_keys(Interpreter& interp, Args args) {
  if (list_length(args[0]) < 0 || list_length(args[0]) % 2 != 0) {
    destructuring_mismatch(interp, args[3], "keyword arguments come in pairs");
  }
  Value allow_args[] = {args[0], interp.keyword("ALLOW-OTHER-KEYS")};
  if (args[2].truthy() || car(destructure_key(interp, allow_args)).truthy()) {
    return Value::nil();
  }
  std::vector<Value> known = expect_list_items(interp, args[1], "keywords");
  for (Value rest = args[0]; rest.is_cons(); rest = cddr(rest)) {
    if (std::find(known.begin(), known.end(), car(rest)) == known.end() &&
        car(rest) != allow_args[1]) {
      fail(Diag::UnknownKeyword, interp.current_span(), "{}: unknown keyword argument `{}`",
           interp.print(args[3], false), interp.print(car(rest)));
    }
  }
  return Value::nil();
}

// --- loading -----------------------------------------------------

/// A file beside the one that is being loaded, else one of the working directory.
Value load(Interpreter& interp, Args args) {
  std::string path = expect_string(interp, args[0], "file name").utf8();
  const KeywordArgs keys(interp, args, 1,
                         {"IF-DOES-NOT-EXIST", "VERBOSE", "PRINT", "EXTERNAL-FORMAT"});
  Value here = interp.cl("*LOAD-TRUENAME*").as<Symbol>()->value;
  if (auto* current = here.try_as<String>(); current != nullptr && path[0] != '/') {
    std::string base = current->utf8();
    size_t slash = base.rfind('/');
    const std::string beside = base.substr(0, slash == std::string::npos ? 0 : slash + 1) + path;
    if (::access(beside.c_str(), F_OK) == 0) {
      path = beside;
    }
  }
  if (keys.get("IF-DOES-NOT-EXIST", Value::t()).is_nil() && ::access(path.c_str(), F_OK) != 0) {
    return Value::nil();
  }
  interp.load_file(path);
  return Value::t();
}

// The library is always there; other modules are files to load.
Value require(Interpreter& interp, Args args) {
  std::string name = expect_string_designator(interp, args[0], "module name");
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (interp.find_package(upper) != nullptr) {
    return Value::nil();
  }
  if (args.size() > 1) {
    return load(interp, args.subspan(1));
  }
  fail(Diag::UnknownPackage, interp.current_span(), "`require`: there is no module `{}`", name);
}

Value exit_program(Interpreter& interp, Args args) {
  Value code = Value::fixnum(0);
  if (args.size() == 1) {
    code = args[0];
  } else if (!args.empty()) {
    code = KeywordArgs(interp, args, 0, {"CODE", "ABORT", "TIMEOUT"}).get("CODE", code);
  }
  throw ExitRequest(static_cast<int>(expect_int(interp, code, "exit code")));
}

// clang-format off
constexpr Builtin kCore[] = {
    // name                 package  min max doc                                          function
    {"APPLY",               "CL",    2, -1, "calls a function with a list of arguments",  apply},
    {"BOUNDP",              "CL",    1, 1,  "whether a symbol has a value",               boundp},
    {"EVAL",                "CL",    1, 1,  "evaluates a form",                           eval},
    {"EXIT",                "CATEN", 0, -1, "ends the program with a code",               exit_program},
    {"FBOUNDP",             "CL",    1, 1,  "whether a name has a function or macro",     fboundp},
    {"FDEFINITION",         "CL",    1, 1,  "the function of a name",                     fdefinition},
    {"FMAKUNBOUND",         "CL",    1, 1,  "removes a function",                         fmakunbound},
    {"FUNCALL",             "CL",    1, -1, "calls a function",                           funcall},
    {"LOAD",                "CL",    1, -1, "loads a file",                               load},
    {"MACRO-FUNCTION",      "CL",    1, 2,  "the expander of a macro",                    macro_function},
    {"MACROEXPAND",         "CL",    1, 2,  "expands a form until it is no macro call",   macroexpand},
    {"MACROEXPAND-1",       "CL",    1, 2,  "expands a form once",                        macroexpand_1},
    {"MAKUNBOUND",          "CL",    1, 1,  "removes the value of a symbol",              makunbound},
    {"QUIT",                "CATEN", 0, -1, "ends the program with a code",               exit_program},
    {"REQUIRE",             "CL",    1, 2,  "checks that a module is there, or loads it", require},
    {"SET",                 "CL",    2, 2,  "sets the value of a symbol",                 set},
    {"SPECIAL-OPERATOR-P",  "CL",    1, 1,  "whether a symbol is a special form",         special_operator_p},
    {"SYMBOL-FUNCTION",     "CL",    1, 1,  "the function of a symbol",                   fdefinition},
    {"SYMBOL-VALUE",        "CL",    1, 1,  "the value of a symbol",                      symbol_value},
    {"VALUES",              "CL",    0, -1, "returns several values",                     values},
    {"VALUES-LIST",         "CL",    1, 1,  "returns the elements of a list as values",   values_list},
    {"%APPEND-LISTS",       "CATEN", 0, -1, "append, for backquote",                      append_lists},
    {"%DEFINE-CONSTANT",    "CATEN", 2, 2,  "defconstant",                                define_constant},
    {"%DEFINE-FUNCTION",    "CATEN", 2, 2,  "defun",                                      define_function},
    {"%DEFINE-MACRO",       "CATEN", 2, 2,  "defmacro",                                   define_macro},
    {"%DESTRUCTURE-CAR",    "CATEN", 2, 2,  "a required element",                         destructure_car},
    {"%DESTRUCTURE-END",    "CATEN", 2, 2,  "checks that nothing is left",                destructure_end},
    {"%DESTRUCTURE-KEY",    "CATEN", 2, 2,  "finds a keyword argument",                   destructure_key},
    {"%DESTRUCTURE-KEYS",   "CATEN", 4, 4,  "checks keyword arguments",                   destructure_keys},
    {"%FUNCTION-DOCUMENTATION", "CATEN", 1, 1, "the doc string of a function",            documentation},
    {"%LIST*",              "CATEN", 1, -1, "list*, for backquote",                       list_star},
    {"%LIST-TO-VECTOR",     "CATEN", 1, 1,  "a vector of the elements of a list",         list_to_vector},
    {"%PROCLAIM-SPECIAL",   "CATEN", 0, -1, "declares special variables",                 proclaim_special},
    {"%PROGV",              "CATEN", 3, 3,  "progv",                                      progv},
    {"%SET-FDEFINITION",    "CATEN", 2, 2,  "(setf fdefinition)",                         set_fdefinition},
};
// clang-format on

}  // namespace

std::span<const Builtin> core_builtins() {
  return kCore;
}

}  // namespace caten::lisp
