// See lambda_list.h.
#include "frontend/lisp/lambda_list.h"

#include <algorithm>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {
namespace {

enum class Section : uint8_t { Required, Optional, Rest, Key, Aux, Done };

// A lambda-list keyword moves to its section; the order is checked.
bool section_of(Interpreter& interp, Value item, Section& section) {
  struct Row {
    const char* name;
    Section section;
  };
  constexpr Row kRows[] = {{"&OPTIONAL", Section::Optional},
                           {"&REST", Section::Rest},
                           {"&BODY", Section::Rest},
                           {"&KEY", Section::Key},
                           {"&AUX", Section::Aux}};
  for (const Row& row : kRows) {
    if (item == interp.cl(row.name)) {
      if (row.section <= section) {
        fail(Diag::MalformedForm, interp.current_span(), "misplaced `{}` in a lambda list",
             interp.print(item));
      }
      section = row.section;
      return true;
    }
  }
  return false;
}

}  // namespace

// Functions: slots in the order of Parameters, then supplied-p and aux variables.
class LambdaListParser {
 public:
  LambdaListParser(Analyzer& analyzer, const Analyzer::Declarations& declared,
                   const Environment* env)
      : analyzer_(analyzer), declared_(declared), env_(env), scope_(*analyzer.scope()) {}

  const Environment* parse(Value lambda_list) {
    collect(lambda_list);
    Parameters& parameters = scope_.parameters;
    scope_.next_slot = scope_.max_slot = parameters.slots();
    uint32_t slot = 0;
    for (Value cell : required_) {
      scope_.simple.push_back(bind_parameter(car(cell), cell, slot++));
    }
    uint32_t optional_slot = slot;
    slot += parameters.optional;
    if (parameters.rest) {
      // Bound before the defaults of later parameters, after those of the optional ones.
      rest_slot_ = slot++;
    }
    uint32_t key_slot = slot;
    for (Value cell : optional_) {
      add_init(cell, first(car(cell)), optional_slot++, true);
    }
    if (parameters.rest) {
      scope_.simple.push_back(bind_parameter(car(rest_), rest_, rest_slot_));
    }
    for (Value cell : keys_) {
      Value name = first(car(cell));
      add_init(cell, name.is_cons() ? cadr(name) : name, key_slot++, true);
    }
    for (Value cell : aux_) {
      uint32_t aux_slot = scope_.next_slot++;
      scope_.max_slot = std::max(scope_.max_slot, scope_.next_slot);
      add_init(cell, first(car(cell)), aux_slot, false);
    }
    return env_;
  }

 private:
  static Value first(Value spec) { return spec.is_cons() ? car(spec) : spec; }

  void collect(Value lambda_list) {
    Interpreter& interp = analyzer_.interp();
    Parameters& parameters = scope_.parameters;
    Section section = Section::Required;
    Value allow = interp.cl("&ALLOW-OTHER-KEYS");
    Value rest = lambda_list;
    for (; rest.is_cons(); rest = cdr(rest)) {
      Value item = car(rest);
      if (section_of(interp, item, section)) {
        parameters.key = parameters.key || section == Section::Key;
        continue;
      }
      if (item == allow) {
        parameters.allow_other_keys = true;
        continue;
      }
      switch (section) {
        case Section::Required:
          for (Value earlier : required_) {
            if (car(earlier) == item) {
              analyzer_.error("`{}` names two parameters", interp.print(item));
            }
          }
          required_.push_back(rest);
          parameters.required += 1;
          break;
        case Section::Optional:
          optional_.push_back(rest);
          parameters.optional += 1;
          break;
        case Section::Rest:
          if (parameters.rest) {
            analyzer_.error("more than one variable after `&rest`");
          }
          rest_ = rest;
          parameters.rest = true;
          break;
        case Section::Key: {
          keys_.push_back(rest);
          Value name = first(item);
          Value keyword = name.is_cons() ? car(name) : name;
          if (!keyword.is_symbol()) {
            analyzer_.error("`{}` cannot name a parameter", interp.print(name));
          }
          parameters.keywords.push_back(
              name.is_cons() ? keyword : interp.keyword(std::string(keyword.as<Symbol>()->name)));
          break;
        }
        case Section::Aux:
        case Section::Done:
          aux_.push_back(rest);
          break;
      }
    }
    if (!rest.is_nil()) {
      analyzer_.error("a lambda list must be a proper list; `{}` is not",
                      interp.print(lambda_list));
    }
  }

  Binding bind_parameter(Value symbol, Value cell, uint32_t slot) {
    uint32_t saved = scope_.next_slot;
    Binding binding = analyzer_.bind(symbol, cell, declared_, &env_);
    if (binding.special) {
      binding.variable = analyzer_.new_variable(symbol);
    }
    binding.variable->slot = slot;
    scope_.next_slot = saved;
    return binding;
  }

  // spec: name | (name [default [supplied]])
  void add_init(Value cell, Value name, uint32_t slot, bool may_be_given) {
    Value spec = car(cell);
    Value rest = spec.is_cons() ? cdr(spec) : Value::nil();
    if (spec.is_cons() && list_length(rest) > 2) {
      analyzer_.error("malformed parameter `{}`", analyzer_.interp().print(spec));
    }
    ParameterInit init;
    init.slot = slot;
    init.may_be_given = may_be_given;
    Node* value = spec.is_cons() && rest.is_cons() ? analyzer_.element(rest, env_)
                                                   : analyzer_.constant(Value::nil());
    init.binding = bind_parameter(name, cell, slot);
    init.binding.init = value;
    if (spec.is_cons() && cdr(rest).is_cons()) {
      uint32_t supplied_slot = scope_.next_slot++;
      scope_.max_slot = std::max(scope_.max_slot, scope_.next_slot);
      init.supplied = bind_parameter(cadr(rest), cdr(rest), supplied_slot);
      init.has_supplied = true;
    }
    scope_.inits.push_back(init);
  }

  Analyzer& analyzer_;
  const Analyzer::Declarations& declared_;
  const Environment* env_;
  FunctionScope& scope_;
  // The cells of the lambda list that hold them.
  std::vector<Value> required_, optional_, keys_, aux_;
  Value rest_;
  uint32_t rest_slot_ = 0;
};

const Environment* parse_lambda_list(Analyzer& analyzer, Value lambda_list,
                                     const Analyzer::Declarations& declared,
                                     const Environment* env) {
  return LambdaListParser(analyzer, declared, env).parse(lambda_list);
}

namespace {

// Writes let* bindings that take a list apart, in order.
class Destructurer {
 public:
  Destructurer(Interpreter& interp, std::string_view context, Value environment)
      : interp_(interp), context_(interp.string(context)), environment_(environment) {}

  void list(Value pattern, Value source) {
    interp_.check_stack();
    Section section = Section::Required;
    Value rest = interp_.gensym("REST");
    bind(rest, source);
    bool open_end = false;  // &rest or &key took what remains
    Value allow = Value::nil();
    Value keywords = Value::nil();
    bool keys = false;
    for (Value at = pattern;; at = cdr(at)) {
      if (!at.is_cons()) {
        if (!at.is_nil()) {  // dotted: as &rest
          variable(at, rest);
          open_end = true;
        }
        break;
      }
      Value item = car(at);
      if (item == interp_.cl("&WHOLE")) {
        at = cdr(at);
        variable(car(at), source);
        continue;
      }
      if (item == interp_.cl("&ENVIRONMENT")) {
        at = cdr(at);
        if (environment_.is_none()) {
          fail(Diag::MalformedForm, interp_.current_span(),
               "`&environment` is only for macro lambda lists");
        }
        bind(car(at), environment_);
        continue;
      }
      if (item == interp_.cl("&ALLOW-OTHER-KEYS")) {
        allow = Value::t();
        continue;
      }
      if (section_of(interp_, item, section)) {
        keys = keys || section == Section::Key;
        continue;
      }
      switch (section) {
        case Section::Required:
          variable(item, call("%DESTRUCTURE-CAR", {rest, context_}));
          bind(rest, cl_call("CDR", {rest}));
          break;
        case Section::Optional: {
          Value given = cl_call("CONSP", {rest});
          supplied(item, given);
          variable(first(item), if_form(given, cl_call("CAR", {rest}), default_of(item)));
          bind(rest, cl_call("CDR", {rest}));
          break;
        }
        case Section::Rest:
          variable(item, rest);
          open_end = true;
          break;
        case Section::Key:
          keywords = key(item, rest, keywords);
          break;
        case Section::Aux:
        case Section::Done:
          variable(first(item), default_of(item));
          break;
      }
    }
    if (keys) {
      bind(interp_.gensym("CHECK"),
           call("%DESTRUCTURE-KEYS", {rest, quoted(keywords), allow, context_}));
    } else if (!open_end) {
      bind(interp_.gensym("CHECK"), call("%DESTRUCTURE-END", {rest, context_}));
    }
  }

  Value bindings() { return interp_.list(*bindings_); }

 private:
  static Value first(Value item) { return item.is_cons() ? car(item) : item; }
  static Value default_of(Value item) { return item.is_cons() ? cadr(item) : Value::nil(); }

  void bind(Value symbol, Value form) { bindings_.push_back(interp_.list({symbol, form})); }

  // A variable, or a nested pattern.
  void variable(Value pattern, Value form) {
    if (pattern.is_cons()) {
      list(pattern, form);
    } else if (pattern.is_nil()) {
      list(pattern, form);  // () matches the empty list
    } else {
      bind(pattern, form);
    }
  }

  void supplied(Value item, Value given) {
    if (item.is_cons() && cddr(item).is_cons()) {
      bind(caddr(item), if_form(given, Value::t(), Value::nil()));
    }
  }

  Value key(Value item, Value rest, Value keywords) {
    Value name = first(item);
    Value target = name.is_cons() ? cadr(name) : name;
    if (!name.is_cons() && !name.is_symbol()) {
      fail(Diag::MalformedForm, interp_.current_span(), "`{}` cannot name a parameter",
           interp_.print(name));
    }
    Value keyword =
        name.is_cons() ? car(name) : interp_.keyword(std::string(name.as<Symbol>()->name));
    Value found = interp_.gensym("KEY");
    bind(found, call("%DESTRUCTURE-KEY", {rest, quoted(keyword)}));
    supplied(item, found);
    variable(target, if_form(found, cl_call("CAR", {found}), default_of(item)));
    return interp_.cons(keyword, keywords);
  }

  Value call(const char* name, std::initializer_list<Value> args) {
    return interp_.cons(interp_.caten(name), interp_.list(args));
  }
  Value cl_call(const char* name, std::initializer_list<Value> args) {
    return interp_.cons(interp_.cl(name), interp_.list(args));
  }
  Value quoted(Value value) { return interp_.list({interp_.cl("QUOTE"), value}); }
  Value if_form(Value test, Value then, Value otherwise) {
    return interp_.list({interp_.cl("IF"), test, then, otherwise});
  }

  Interpreter& interp_;
  Value context_;
  Value environment_;
  RootedVector<Value> bindings_{interp_.heap()};
};

}  // namespace

Value expand_destructuring(Interpreter& interp, Value lambda_list, Value source,
                           std::string_view context, Value body, Value environment) {
  Destructurer destructurer(interp, context, environment);
  destructurer.list(lambda_list, source);
  return interp.cons(interp.cl("LET*"), interp.cons(destructurer.bindings(), body));
}

Value macro_lambda(Interpreter& interp, Value name, Value definition) {
  Value lambda_list = car(definition);
  Value body = cdr(definition);
  Value declare = interp.cl("DECLARE");
  Value form = interp.gensym("FORM");
  Value environment = interp.gensym("ENV");
  Value documentation = Value::nil();
  if (car(body).is<String>() && cdr(body).is_cons()) {
    documentation = interp.list({car(body)});
    body = cdr(body);
  }
  RootedVector<Value> declarations(interp.heap());
  for (; car(body).is_cons() && car(car(body)) == declare; body = cdr(body)) {
    declarations.push_back(car(body));
  }
  Value block = interp.cons(interp.cl("BLOCK"), interp.cons(name, body));
  Value inner = interp.list(declarations.span(), interp.list({block}));
  bool whole = car(lambda_list) == interp.cl("&WHOLE");
  Value whole_variable = cadr(lambda_list);
  Value source = interp.list({interp.cl("CDR"), form});
  Value expansion = expand_destructuring(interp, whole ? cddr(lambda_list) : lambda_list, source,
                                         "macro `" + interp.print(name) + "`", inner, environment);
  if (whole) {
    Value bindings = interp.list({interp.list({whole_variable, form})});
    expansion = interp.list({interp.cl("LET"), bindings, expansion});
  }
  Value forms = interp.list({expansion});
  if (documentation.is_cons()) {
    forms = interp.cons(car(documentation), forms);
  }
  return interp.cons(interp.caten("%NAMED-LAMBDA"),
                     interp.cons(name, interp.cons(interp.list({form, environment}), forms)));
}

}  // namespace caten::lisp
