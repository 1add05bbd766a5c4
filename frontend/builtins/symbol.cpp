// Symbols, packages, equality, and functions about functions.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/characters.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

// --- identity and equality --------------------------------------------------------------------

Value symbol_eq(Interpreter&, Args args) {
  return Value::boolean(args[0] == args[1]);
}
Value symbol_eql(Interpreter&, Args args) {
  return Value::boolean(eql(args[0], args[1]));
}
Value symbol_equal(Interpreter&, Args args) {
  return Value::boolean(equal(args[0], args[1]));
}
Value symbol_equalp(Interpreter&, Args args) {
  return Value::boolean(equalp(args[0], args[1]));
}
Value symbol_not(Interpreter&, Args args) {
  return Value::boolean(args[0].is_nil());
}
Value symbol_identity(Interpreter&, Args args) {
  return args[0];
}

Value symbol_constantly(Interpreter& interp, Args args) {
  return interp.native("constantly", [](Interpreter& in, Args) { return in.callee().data[0]; }, 0,
                       -1, {args[0]});
}

Value symbol_complement(Interpreter& interp, Args args) {
  return interp.native("complement",
                       [](Interpreter& in, Args given) {
                         return Value::boolean(in.call(in.callee().data[0], given).is_nil());
                       },
                       0, -1, {interp.coerce_to_function(args[0])});
}

/// Whether a form's value is known without evaluation: literals, keywords, constants, quotes.
Value symbol_constantp(Interpreter& interp, Args args) {
  if (const Symbol* symbol = args[0].try_as<Symbol>()) {
    return Value::boolean(symbol->has(kConstant) || symbol->has(kKeyword));
  }
  return Value::boolean(!args[0].is_cons() || car(args[0]) == interp.cl("QUOTE"));
}

Value symbol_compiled_function_p(Interpreter&, Args args) {
  return Value::boolean(args[0].is_function());
}

Value symbol_functionp(Interpreter&, Args args) {
  return Value::boolean(args[0].is_function());
}

// --- symbols ----------------------------------------------------------------------------------

Value symbol_symbolp(Interpreter&, Args args) {
  return Value::boolean(args[0].is_symbol());
}
Value symbol_keywordp(Interpreter&, Args args) {
  const Symbol* symbol = args[0].try_as<Symbol>();
  return Value::boolean(symbol != nullptr && symbol->has(kKeyword));
}

Value symbol_name(Interpreter& interp, Args args) {
  return interp.string(expect_symbol(interp, args[0], "argument").name);
}

Value symbol_package(Interpreter& interp, Args args) {
  expect_symbol(interp, args[0], "argument");
  Package* package = interp.home_package(args[0]);
  return package == nullptr ? Value::nil() : Value::object(package);
}

// --- property lists ---------------------------------------------------------------------------

Value plist_of(const Symbol& symbol) {
  return symbol.plist.is_none() ? Value::nil() : symbol.plist;
}

Value symbol_plist(Interpreter& interp, Args args) {
  return plist_of(expect_symbol(interp, args[0], "argument"));
}
/// The cons whose car is the value of a property, or no value.
Value property_place(const Symbol& symbol, Value indicator) {
  for (Value rest = plist_of(symbol); rest.is_cons() && cdr(rest).is_cons(); rest = cddr(rest)) {
    if (car(rest) == indicator) {
      return cdr(rest);
    }
  }
  return {};
}

Value symbol_get(Interpreter& interp, Args args) {
  const Value place = property_place(expect_symbol(interp, args[0], "symbol"), args[1]);
  return place.is_none() ? arg_or(args, 2) : car(place);
}
Value symbol_remprop(Interpreter& interp, Args args) {
  Symbol& symbol = expect_symbol(interp, args[0], "symbol");
  Value before;
  for (Value rest = plist_of(symbol); rest.is_cons(); rest = cddr(rest)) {
    if (car(rest) == args[1]) {
      if (before.is_none()) {
        symbol.plist = cddr(rest);
      } else {
        before.cons_pointer()->cdr = cddr(rest);
      }
      return Value::t();
    }
    before = cdr(rest);
  }
  return Value::nil();
}

// --- making and finding symbols ---------------------------------------------------------------

Package& package_arg(Interpreter& interp, Args args, size_t index) {
  return index < args.size() ? expect_package(interp, args[index], "package")
                             : interp.current_package();
}

Value symbol_make_symbol(Interpreter& interp, Args args) {
  return interp.make_symbol(expect_string(interp, args[0], "name").utf8());
}

Value symbol_copy_symbol(Interpreter& interp, Args args) {
  const Symbol& from = expect_symbol(interp, args[0], "symbol");
  const Value made = interp.make_symbol(from.name);
  if (arg_or(args, 1).truthy()) {
    Symbol& to = *made.as<Symbol>();
    to.value = from.value;
    to.function = from.function;
    to.plist = from.plist;
  }
  return made;
}

Value symbol_gensym(Interpreter& interp, Args args) {
  std::string prefix = "G";
  if (!args.empty() && is_integer(args[0])) {
    return interp.make_symbol(fmt::format("G{}", integer_value(args[0])));
  }
  if (!args.empty()) {
    prefix = expect_string(interp, args[0], "prefix").utf8();
  }
  const Value counter = interp.cl("*GENSYM-COUNTER*");
  const int64_t number = expect_index(interp, counter.as<Symbol>()->value, "`*gensym-counter*`");
  interp.set_symbol_value(counter, interp.integer(number + 1));
  return interp.make_symbol(fmt::format("{}{}", prefix, number));
}

Value symbol_gentemp(Interpreter& interp, Args args) {
  const std::string prefix = args.empty() ? "T" : expect_string(interp, args[0], "prefix").utf8();
  Package& package = package_arg(interp, args, 1);
  for (uint64_t n = 0;; ++n) {
    const std::string name = fmt::format("{}{}", prefix, n);
    if (package.find(name).symbol.is_none()) {
      return package.intern(interp.heap(), name);
    }
  }
}

// --- apropos ----------------------------------------------------------------------------------

std::vector<Value> sorted_symbols(const Package& package, bool external_only) {
  std::vector<Value> symbols;
  for (const SymbolTable::Slot& slot : package.symbols.slots()) {
    if (slot.symbol != nullptr && (slot.external || !external_only)) {
      symbols.push_back(Value::object(slot.symbol));
    }
  }
  std::ranges::sort(symbols, {}, [](Value v) { return v.as<Symbol>()->name; });
  return symbols;
}

/// The symbols whose names contain a text, in a package or in all.
std::vector<Value> matching_symbols(Interpreter& interp, Args args) {
  std::u32string wanted = designated_chars(interp, args[0], "text");
  std::ranges::transform(wanted, wanted.begin(), char_upcase);
  const std::string text = encode_utf8(wanted);
  std::vector<Value> found;
  for (Package* package : interp.packages()) {
    if (args.size() > 1 && !args[1].is_nil() &&
        package != &expect_package(interp, args[1], "package")) {
      continue;
    }
    for (Value symbol : sorted_symbols(*package, false)) {
      if (symbol.as<Symbol>()->name.find(text) != std::string_view::npos &&
          interp.home_package(symbol) == package) {
        found.push_back(symbol);
      }
    }
  }
  return found;
}

/// (apropos text [package]): one line per symbol, with what it names.
Value symbol_apropos(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, Value::nil());
  for (Value symbol : matching_symbols(interp, args)) {
    const Symbol& cell = *symbol.as<Symbol>();
    std::string line = interp.print(symbol);
    if (!cell.function.is_none()) {
      line += cell.function.is_function() ? " (function)" : " (macro)";
    }
    if (!cell.value.is_none()) {
      line += " (bound)";
    }
    out.write(line + "\n");
  }
  return interp.set_values({});
}

Value symbol_find_all_symbols(Interpreter& interp, Args args) {
  const std::string name = expect_string_designator(interp, args[0], "name");
  std::vector<Value> found;
  for (Package* package : interp.packages()) {
    const Value symbol = package->find(name).symbol;
    if (!symbol.is_none() && std::ranges::find(found, symbol) == found.end()) {
      found.push_back(symbol);
    }
  }
  return interp.list(found);
}

/// (%accessible-symbols package kind): the external, all own and inherited, or all packages' own
/// symbols, for do-symbols and its kin.
Value symbol_accessible(Interpreter& interp, Args args) {
  std::vector<Value> symbols;
  if (args[1] == interp.keyword("ALL")) {
    for (const Package* package : interp.packages()) {
      const std::vector<Value> own = sorted_symbols(*package, false);
      symbols.insert(symbols.end(), own.begin(), own.end());
    }
    return interp.list(symbols);
  }
  const Package& package =
      args[0].is_nil() ? interp.current_package() : expect_package(interp, args[0], "package");
  const bool external = args[1] == interp.keyword("EXTERNAL");
  symbols = sorted_symbols(package, external);
  if (!external) {
    for (const Package* used : package.used) {
      const std::vector<Value> inherited = sorted_symbols(*used, true);
      symbols.insert(symbols.end(), inherited.begin(), inherited.end());
    }
  }
  return interp.list(symbols);
}

/// (do-symbols (variable [package [result]]) body...) as dolist over the symbols of a kind.
Value expand_do(Interpreter& interp, Value form, const char* kind, bool has_package) {
  const Forms f(interp);
  const Value spec = cadr(form);
  const Value package = has_package ? cadr(spec) : Value::nil();
  const Value rest = has_package ? cddr(spec) : cdr(spec);
  return f({"DOLIST", f({car(spec), f({"%ACCESSIBLE-SYMBOLS", package, kind}), car(rest)})},
           cddr(form));
}
Value expand_do_symbols(Interpreter& interp, Value form, const Environment*) {
  return expand_do(interp, form, ":ACCESSIBLE", true);
}
Value expand_do_external_symbols(Interpreter& interp, Value form, const Environment*) {
  return expand_do(interp, form, ":EXTERNAL", true);
}
Value expand_do_all_symbols(Interpreter& interp, Value form, const Environment*) {
  return expand_do(interp, form, ":ALL", false);
}

Value symbol_apropos_list(Interpreter& interp, Args args) {
  return interp.list(matching_symbols(interp, args));
}

// clang-format off
constexpr Builtin kSymbolBuiltins[] = {
    // name                     package min max  doc                                               function
    {"EQ",                      "CL",   2,  2,   "true for the same object",                       symbol_eq},
    {"EQL",                     "CL",   2,  2,   "true for the same object, or equal numbers of a kind", symbol_eql},
    {"EQUAL",                   "CL",   2,  2,   "true for objects of equal structure",            symbol_equal},
    {"EQUALP",                  "CL",   2,  2,   "equal, ignoring case and kinds of numbers, also for arrays and tables", symbol_equalp},
    {"NOT",                     "CL",   1,  1,   "true for NIL",                                   symbol_not},
    {"NULL",                    "CL",   1,  1,   "true for NIL",                                   symbol_not},
    {"IDENTITY",                "CL",   1,  1,   "its argument",                                   symbol_identity},
    {"CONSTANTLY",              "CL",   1,  1,   "a function that always returns the value",       symbol_constantly},
    {"COMPLEMENT",              "CL",   1,  1,   "the predicate that is true where another is false", symbol_complement},
    {"COMPILED-FUNCTION-P",     "CL",   1,  1,   "true for functions: all are compiled",           symbol_compiled_function_p},
    {"CONSTANTP",               "CL",   1,  2,   "true if a form's value is known without evaluation", symbol_constantp},
    {"FUNCTIONP",               "CL",   1,  1,   "true for functions",                             symbol_functionp},
    {"SYMBOLP",                 "CL",   1,  1,   "true for symbols",                               symbol_symbolp},
    {"KEYWORDP",                "CL",   1,  1,   "true for keywords",                              symbol_keywordp},
    {"SYMBOL-NAME",             "CL",   1,  1,   "the name of a symbol",                           symbol_name},
    {"SYMBOL-PACKAGE",          "CL",   1,  1,   "the home package of a symbol, or NIL",           symbol_package},
    {"SYMBOL-PLIST",            "CL",   1,  1,   "the property list of a symbol",                  symbol_plist},
    {"GET",                     "CL",   2,  3,   "(get symbol indicator [default]): a property",   symbol_get},
    {"REMPROP",                 "CL",   2,  2,   "removes a property; true if it was there",       symbol_remprop},
    {"MAKE-SYMBOL",             "CL",   1,  1,   "a fresh symbol in no package",                   symbol_make_symbol},
    {"COPY-SYMBOL",             "CL",   1,  2,   "a fresh symbol of the same name",                symbol_copy_symbol},
    {"GENSYM",                  "CL",   0,  1,   "a fresh symbol with a numbered name",            symbol_gensym},
    {"GENTEMP",                 "CL",   0,  2,   "a fresh interned symbol with a numbered name",   symbol_gentemp},
    {"APROPOS",                 "CL",   1,  2,   "prints the symbols whose names contain a text",  symbol_apropos},
    {"FIND-ALL-SYMBOLS",        "CL",   1,  1,   "the symbols of a name in all packages",          symbol_find_all_symbols},
    {"%ACCESSIBLE-SYMBOLS",     "CATEN", 2, 2,   "the symbols of a package, of a kind",            symbol_accessible},
    {"APROPOS-LIST",            "CL",   1,  3,   "symbols whose names contain a text",             symbol_apropos_list},
};
constexpr MacroRow kSymbolMacros[] = {
    {"DO-SYMBOLS",          "CL", "(do-symbols (var [package [result]]) body...): accessible symbols", expand_do_symbols},
    {"DO-EXTERNAL-SYMBOLS", "CL", "(do-external-symbols (var [package [result]]) body...)",            expand_do_external_symbols},
    {"DO-ALL-SYMBOLS",      "CL", "(do-all-symbols (var [result]) body...): symbols of all packages",  expand_do_all_symbols},
};
// clang-format on

}  // namespace

std::span<const Builtin> symbol_builtins() {
  return kSymbolBuiltins;
}
std::span<const MacroRow> symbol_macros() {
  return kSymbolMacros;
}

}  // namespace caten::lisp
