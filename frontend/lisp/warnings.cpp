// See warnings.h.
#include "frontend/lisp/warnings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/generic.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/image.h"

namespace caten::lisp {

namespace {

/// What a function takes, as far as it can be known without calling it.
struct Arity {
  size_t required = 0;
  size_t optional = 0;
  bool rest = false;
  bool key = false;
  bool other_keys = false;
  std::vector<Value> keywords;
};

Arity arity_of_list(Interpreter& interp, Value lambda_list) {
  Arity arity;
  enum class Section : uint8_t { Required, Optional, Rest, Key, Aux } section = Section::Required;
  for (Value rest = lambda_list; rest.is_cons(); rest = cdr(rest)) {
    Value item = car(rest);
    if (item == interp.cl("&OPTIONAL")) {
      section = Section::Optional;
    } else if (item == interp.cl("&REST") || item == interp.cl("&BODY")) {
      section = Section::Rest;
      arity.rest = true;
    } else if (item == interp.cl("&KEY")) {
      section = Section::Key;
      arity.key = true;
    } else if (item == interp.cl("&ALLOW-OTHER-KEYS")) {
      arity.other_keys = true;
    } else if (item == interp.cl("&AUX")) {
      section = Section::Aux;
    } else if (section == Section::Required) {
      ++arity.required;
    } else if (section == Section::Optional) {
      ++arity.optional;
    } else if (section == Section::Key) {
      Value name = item.is_cons() ? car(item) : item;
      if (name.is_cons()) {
        arity.keywords.push_back(car(name));
      } else if (const Symbol* symbol = name.try_as<Symbol>()) {
        arity.keywords.push_back(interp.keyword(symbol->name));
      }
    }
  }
  return arity;
}

std::optional<Arity> arity_of(Interpreter& interp, Value function) {
  if (const Closure* closure = function.try_as<Closure>()) {
    Code& code = *closure->code;
    if (!code.source.is_none()) {
      return arity_of_list(interp, cadr(code.source));
    }
    if (code.words.empty()) {
      make_ready(interp, code);
    }
    const Parameters& p = code.parameters;
    return Arity{p.required, p.optional, p.rest, p.key, p.allow_other_keys, p.keywords};
  }
  if (const NativeFunction* native = function.try_as<NativeFunction>()) {
    Arity arity;
    arity.required = static_cast<size_t>(native->min_args);
    arity.rest = native->max_args < 0;
    arity.optional = arity.rest ? 0 : static_cast<size_t>(native->max_args) - arity.required;
    return arity;
  }
  if (const StandardGeneric* generic = function.try_as<StandardGeneric>()) {
    const Signature& s = generic->signature;
    if (!generic->fallback.is_none() || (!generic->has_lambda_list && generic->methods.empty())) {
      return std::nullopt;
    }
    // Methods may take further keys: only the number of arguments is certain.
    return Arity{s.required, s.optional, s.takes_more(), false, true, {}};
  }
  return std::nullopt;
}

std::string label(Interpreter& interp, Value name) {
  const Symbol* symbol = name.try_as<Symbol>();
  return symbol != nullptr ? symbol_label(*symbol) : interp.print(name);
}

const Symbol* keyword_of(Value value) {
  const Symbol* symbol = value.is_none() ? nullptr : value.try_as<Symbol>();
  return symbol != nullptr && symbol->has(kKeyword) ? symbol : nullptr;
}

bool is_name_char(char c) {
  return c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '(' && c != ')' && c != ';';
}

std::string_view noun(Warnings::Thing thing) {
  switch (thing) {
    case Warnings::Thing::Function:
      return "function";
    case Warnings::Thing::Macro:
      return "macro";
    case Warnings::Thing::Method:
      return "method";
    case Warnings::Thing::Class:
      return "class";
    case Warnings::Thing::Entry:
      return "entry";
  }
  return "";
}

}  // namespace

Warnings* Warnings::of(Interpreter& interp) {
  return interp.on_warning ? &interp.state<Warnings>("warnings") : nullptr;
}

void Warnings::report(CompileError warning) {
  if (interp_.on_warning) {
    interp_.on_warning(warning);
  }
}

// --- variables ---------------------------------------------------

// The first cell of a list has the place of the whole list: the element is then found in the text.
Span Warnings::place_of_element(Value cell, Span form) const {
  Span place = span_of(cell);
  if (!is_user_code(place) || !contains(form, place)) {
    return {};
  }
  if (Span own = span_of(car(cell)); car(cell).is_cons() && own.known()) {
    return own;
  }
  std::string_view text = interp_.sources().snippet(place);
  if (text.empty() || text[0] != '(') {
    return place;
  }
  size_t from = 1;
  while (from < text.size() && (text[from] == ' ' || text[from] == '\n')) {
    ++from;
  }
  size_t to = from;
  while (to < text.size() && is_name_char(text[to])) {
    ++to;
  }
  return {place.file, place.begin + static_cast<uint32_t>(from),
          place.begin + static_cast<uint32_t>(to)};
}

void Warnings::note_unused(const Variable& variable) {
  const Symbol& symbol = *variable.symbol.as<Symbol>();
  if (symbol.package == nullptr || symbol.name.starts_with('_') || !is_open(variable.place)) {
    return;
  }
  report(CompileError(Diag::UnusedVariable, variable.place,
                      fmt::format("variable `{}` is never used", symbol_label(symbol))));
}

// --- calls -------------------------------------------------------

void Warnings::note_call(Value name, Value form, Span place) {
  if (!is_open(place)) {
    return;
  }
  Call call;
  call.name = name;
  call.place = place;
  call.is_call = form.is_cons();
  kept_.push_back(name);
  for (Value rest = cdr(form); rest.is_cons(); rest = cdr(rest)) {
    bool keyword = keyword_of(car(rest)) != nullptr;
    call.args.push_back(keyword ? car(rest) : Value());
  }
  call.count = call.args.size();
  calls_.push_back(std::move(call));
}

void Warnings::note_function(Code& code) {
  if (is_open(code.span)) {
    functions_.push_back(&code);
    kept_.push_back(Value::object(&code));
  }
}

void Warnings::note_local_function(Value name, Span place) {
  const Symbol* symbol = name.try_as<Symbol>();
  if (!is_open(place) || symbol == nullptr || symbol->package != &interp_.cl_package() ||
      symbol->function.is_none()) {
    return;
  }
  report(CompileError(
      Diag::ShadowedBuiltin, place,
      fmt::format("local function `{}` hides the one of Common Lisp", symbol_label(*symbol))));
}

void Warnings::undefined(const Call& call) {
  if (!reported_.insert(call.name.bits()).second) {
    return;
  }
  const Symbol* symbol = call.name.try_as<Symbol>();
  if (symbol != nullptr && symbol->function.is<Macro>()) {
    if (call.is_call) {
      report(CompileError(
          Diag::UndefinedCall, call.place,
          fmt::format("macro `{}` is used before it is defined", symbol_label(*symbol))));
    }
    return;
  }
  CompileError warning(
      Diag::UndefinedCall, call.place,
      fmt::format("function `{}` is not defined anywhere", label(interp_, call.name)));
  if (symbol != nullptr) {
    auto defines = [](const Symbol& other) { return !other.function.is_none(); };
    if (auto near = interp_.similar_symbol(*symbol, defines)) {
      warning.note({}, fmt::format("did you mean `{}`?", *near));
    }
  }
  report(std::move(warning));
}

void Warnings::check_arguments(const Call& call, Value function) {
  std::optional<Arity> arity = arity_of(interp_, function);
  if (!arity) {
    return;
  }
  std::string name = label(interp_, call.name);
  size_t positional = arity->required + arity->optional;
  bool open = arity->rest || arity->key;
  std::string problem;
  if (call.count < arity->required || (!open && call.count > positional)) {
    std::string expected = open ? fmt::format("at least {}", arity->required)
                           : arity->optional > 0
                               ? fmt::format("{} to {}", arity->required, positional)
                               : fmt::format("{}", arity->required);
    problem = fmt::format("`{}` takes {} argument{}; {} given", name, expected,
                          (open ? arity->required : positional) == 1 ? "" : "s", call.count);
  } else if (arity->key && call.count > positional) {
    if ((call.count - positional) % 2 != 0) {
      problem =
          fmt::format("`{}` is given an odd number of keyword arguments; a value is missing", name);
    }
    bool others = arity->other_keys;
    for (size_t i = positional; i < call.count && !others; i += 2) {
      const Symbol* key = keyword_of(call.args[i]);
      others = key == nullptr || key->name == "ALLOW-OTHER-KEYS";
    }
    for (size_t i = positional; i < call.count && !others && problem.empty(); i += 2) {
      if (std::find(arity->keywords.begin(), arity->keywords.end(), call.args[i]) ==
          arity->keywords.end()) {
        problem =
            fmt::format("`{}` takes no keyword argument `{}`", name, label(interp_, call.args[i]));
      }
    }
  }
  if (problem.empty()) {
    return;
  }
  CompileError warning(Diag::ArgumentCount, call.place, problem);
  if (const Closure* closure = function.try_as<Closure>();
      closure != nullptr && is_user_code(closure->code->span)) {
    warning.note(closure->code->span, fmt::format("`{}` is defined here", name));
  }
  report(std::move(warning));
}

void Warnings::check_call(const Call& call) {
  Value function = interp_.function_of(call.name);
  if (function.is_none()) {
    const Symbol* symbol = call.name.try_as<Symbol>();
    if (symbol == nullptr || !symbol->function.is<SpecialForm>()) {
      undefined(call);
    }
    return;
  }
  if (call.is_call && !redefined_.contains(call.name.bits())) {
    check_arguments(call, function);
  }
}

// --- definitions -------------------------------------------------

void Warnings::note_definition(Thing thing, Value name, const std::string& detail) {
  Span place = interp_.current_span();
  const Symbol* symbol = (name.is_cons() ? cadr(name) : name).try_as<Symbol>();
  if (symbol == nullptr || symbol->package == nullptr || !is_user_code(interp_.innermost_span()) ||
      !is_user_code(place)) {
    return;
  }
  // Functions and macros share their names.
  const bool is_class = thing == Thing::Class;
  const bool is_function = thing == Thing::Function || thing == Thing::Macro;
  const std::string kind = is_function ? "function" : std::string(noun(thing)) + detail;
  auto [found, fresh] = definitions_.try_emplace(Key{name.bits(), kind}, Definition{thing, place});
  if (!fresh) {
    Definition first = found->second;
    found->second = {thing, place};
    if (is_function || thing == Thing::Method) {
      redefined_.insert(name.bits());
    }
    if (first.place.file == place.file && first.place != place) {
      CompileError warning(
          Diag::Redefinition, place,
          fmt::format("{} `{}` is defined a second time", noun(thing), label(interp_, name)));
      warning.note(first.place, "the first definition is here");
      report(std::move(warning));
    }
    return;
  }
  const Package* home = symbol->package;
  bool library = home == &interp_.caten_package() || home->name == "ALEXANDRIA";
  bool defined = is_class
                     ? interp_.hooks.is_class != nullptr && interp_.hooks.is_class(interp_, name)
                     : !interp_.function_of(name).is_none() ||
                           (name.is_symbol() && symbol->function.is<Macro>());
  if (library && defined && (is_class || is_function)) {
    redefined_.insert(name.bits());
    report(CompileError(Diag::ShadowedBuiltin, place,
                        fmt::format("this definition replaces the {} `{}` of the library",
                                    is_class ? "class" : "function", label(interp_, name))));
  }
}

void Warnings::forget_definition(Value name) {
  definitions_.erase(Key{name.bits(), "function"});
}

// --- the end of a file -------------------------------------------

// Analyzing may add functions (and expand macros that define some); their bodies were seen with
// those around them.
void Warnings::analyze_uncalled(uint32_t file) {
  // An error of a macro that is expanded here is no reason to open the debugger.
  const auto debugger = std::exchange(interp_.hooks.debugger, nullptr);
  analyze_functions(file);
  interp_.hooks.debugger = debugger;
}

void Warnings::analyze_functions(uint32_t file) {
  for (size_t i = 0; i < functions_.size(); ++i) {
    Code& code = *functions_[i];
    if (code.source.is_none() || code.span.file != file) {
      continue;
    }
    try {
      Analyzer analyzer(interp_, code.span);
      analyzer.lambda(code.source, code.name, nullptr);
      analyzer.warn_unused();
    } catch (const CompileError& error) {
      CompileError warning(
          Diag::BrokenFunction, error.span.known() ? error.span : code.span,
          code.name.is_nil()
              ? "this function cannot be called: " + error.message
              : fmt::format("`{}` cannot be called: {}", label(interp_, code.name), error.message));
      warning.notes = error.notes;
      report(std::move(warning));
    }
  }
}

void Warnings::finish(uint32_t file) {
  analyze_uncalled(file);
  std::vector<Call> calls;
  std::copy_if(calls_.begin(), calls_.end(), std::back_inserter(calls),
               [&](const Call& call) { return call.place.file == file; });
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return std::pair(a.place.file, a.place.begin) < std::pair(b.place.file, b.place.begin);
  });
  // A form may have been analyzed twice.
  auto same = [](const Call& a, const Call& b) { return a.place == b.place && a.name == b.name; };
  calls.erase(std::unique(calls.begin(), calls.end(), same), calls.end());
  for (const Call& call : calls) {
    check_call(call);
  }
  reported_.clear();
  discard(file);
}

void Warnings::discard(uint32_t file) {
  finished_.insert(file);
  std::erase_if(calls_, [&](const Call& call) { return call.place.file == file; });
  std::erase_if(functions_, [&](const Code* code) { return code->span.file == file; });
  kept_->clear();
  for (const Call& call : calls_) {
    kept_.push_back(call.name);
  }
  for (const Code* code : functions_) {
    kept_.push_back(Value::object(code));
  }
}

void Warnings::FileScope::finish() {
  finished_ = true;
  if (Warnings* warnings = Warnings::of(interp_);
      warnings != nullptr && !interp_.is_library(file_)) {
    warnings->finish(file_);
  }
}

Warnings::FileScope::~FileScope() {
  if (Warnings* warnings = finished_ ? nullptr : Warnings::of(interp_)) {
    warnings->discard(file_);
  }
}

}  // namespace caten::lisp
