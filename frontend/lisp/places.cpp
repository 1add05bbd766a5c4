// Analysis of places, defsetf and define-setf-expander.
#include "frontend/lisp/places.h"

#include <unordered_map>

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/lambda_list.h"

namespace caten::lisp {

namespace {

/// How a standard accessor is stored into: (setter [index] (inner argument)... value).
struct AccessorRow {
  const char* name;
  const char* setter;
  const char* inner = nullptr;  // applied to the argument first
  int index = -1;               // first argument of the setter
};

// clang-format off
constexpr AccessorRow kAccessors[] = {
    {"CAR", "%SET-CAR"},          {"CDR", "%SET-CDR"},
    {"FIRST", "%SET-CAR"},        {"REST", "%SET-CDR"},
    {"CAAR", "%SET-CAR", "CAR"},  {"CADR", "%SET-CAR", "CDR"},
    {"CDAR", "%SET-CDR", "CAR"},  {"CDDR", "%SET-CDR", "CDR"},
    {"CAAAR", "%SET-CAR", "CAAR"},{"CAADR", "%SET-CAR", "CADR"},
    {"CADAR", "%SET-CAR", "CDAR"},{"CADDR", "%SET-CAR", "CDDR"},
    {"CDAAR", "%SET-CDR", "CAAR"},{"CDADR", "%SET-CDR", "CADR"},
    {"CDDAR", "%SET-CDR", "CDAR"},{"CDDDR", "%SET-CDR", "CDDR"},
    {"CADDDR", "%SET-CAR", "CDDDR"}, {"CDDDDR", "%SET-CDR", "CDDDR"},
    {"SECOND", "%SET-NTH", nullptr, 1}, {"THIRD", "%SET-NTH", nullptr, 2},
    {"FOURTH", "%SET-NTH", nullptr, 3}, {"FIFTH", "%SET-NTH", nullptr, 4},
    {"SIXTH", "%SET-NTH", nullptr, 5},  {"SEVENTH", "%SET-NTH", nullptr, 6},
    {"EIGHTH", "%SET-NTH", nullptr, 7}, {"NINTH", "%SET-NTH", nullptr, 8},
    {"TENTH", "%SET-NTH", nullptr, 9},
    {"NTH", "%SET-NTH"},
    {"ELT", "%SET-ELT"},
    {"AREF", "%SET-AREF"},
    {"SVREF", "%SET-AREF"},
    {"BIT", "%SET-AREF"},
    {"SBIT", "%SET-AREF"},
    {"ROW-MAJOR-AREF", "%SET-ROW-MAJOR-AREF"},
    {"CHAR", "%SET-CHAR"},
    {"SCHAR", "%SET-CHAR"},
    {"SUBSEQ", "%SET-SUBSEQ"},
    {"FILL-POINTER", "%SET-FILL-POINTER"},
    {"GETHASH", "%SET-GETHASH"},
    {"GET", "%SET-GET"},
    {"SYMBOL-VALUE", "SET"},
    {"SYMBOL-FUNCTION", "%SET-FUNCTION"},
    {"FDEFINITION", "%SET-FUNCTION"},
    {"SYMBOL-PLIST", "%SET-SYMBOL-PLIST"},
    {"MACRO-FUNCTION", "%SET-MACRO-FUNCTION"},
    {"SLOT-VALUE", "%SET-SLOT-VALUE"},
    {"FIND-CLASS", "%SET-FIND-CLASS"},
    {"CLASS-NAME", "%SET-CLASS-NAME"},
    {"DOCUMENTATION", "%SET-DOCUMENTATION"},
};
// clang-format on

/// What defsetf and define-setf-expander have defined, and the table above by symbol.
class SetfTable final : public RootSource {
 public:
  enum class Kind : uint8_t { Update, Long, Expander };
  struct Definition {
    Kind kind;
    Value function;  // Update: a symbol; Long: of the arguments' variables and the stores
    int64_t stores;
  };

  explicit SetfTable(Interpreter& interp) : interp_(interp) {
    for (const AccessorRow& row : kAccessors) {
      accessors_.emplace(interp.cl(row.name).bits(), &row);
    }
    interp.heap().add_root(this);
  }
  ~SetfTable() { interp_.heap().remove_root(this); }
  static SetfTable& of(Interpreter& interp) { return interp.state<SetfTable>("setf"); }

  const AccessorRow* accessor(Value name) const {
    auto found = accessors_.find(name.bits());
    return found == accessors_.end() ? nullptr : found->second;
  }
  const Definition* definition(Value name) const {
    auto found = definitions_.find(name.bits());
    return found == definitions_.end() ? nullptr : &found->second;
  }
  void define(Value name, Definition definition) { definitions_[name.bits()] = definition; }
  void forget(Value name) { definitions_.erase(name.bits()); }

  void trace_roots(Tracer& tracer) override {
    for (const auto& [name, definition] : definitions_) {
      trace(tracer, Value::from_bits(name));
      trace(tracer, definition.function);
    }
  }

 private:
  Interpreter& interp_;
  std::unordered_map<uint64_t, const AccessorRow*> accessors_;
  std::unordered_map<uint64_t, Definition> definitions_;
};

/// The expansion of a symbol that is a symbol macro, or no value.
Value symbol_expansion(Value symbol, const Environment* env) {
  const Environment* link = Analyzer::find_variable(env, symbol);
  return link != nullptr && link->kind == Environment::Kind::SymbolMacro ? link->expansion
                                                                         : Value();
}

class PlaceFinder {
 public:
  PlaceFinder(Interpreter& interp, const Environment* env, PlaceOptions options)
      : interp_(interp),
        f_(interp),
        env_(env),
        options_(options),
        own_kept_(interp.heap()),
        kept_(options.kept != nullptr ? *options.kept : own_kept_) {}

  Place find(Value form);

 private:
  Place variable(Value symbol);
  Place call(Value form);
  Place accessor(Value form, const AccessorRow& row);
  Place setf_function(Value form);
  Place updated(Value form, Value updater);
  Place defined(Value form, const SetfTable::Definition& definition);
  Place values(Value form);
  Place property(Value form);
  Place bits(Value form);
  Place applied(Value form);

  /// The form to use for a subform: itself, or a variable bound to it.
  Value bind(Value subform, Place& place) {
    if (is_constant_form(interp_, subform) ||
        (options_.keep_variables && is_simple_form(interp_, subform, env_))) {
      return subform;
    }
    Value variable = f_.gensym("T");
    kept_.push_back(variable);
    kept_.push_back(subform);
    place.variables.push_back(variable);
    place.values.push_back(subform);
    return variable;
  }
  void take_bindings(const Place& from, Place& to) {
    to.variables.insert(to.variables.end(), from.variables.begin(), from.variables.end());
    to.values.insert(to.values.end(), from.values.begin(), from.values.end());
  }
  void close(Place& place, std::vector<Value> open_writer) {
    place.stores = {f_.gensym("NEW")};
    place.open_writer = std::move(open_writer);
    std::vector<Value> writer = place.open_writer;
    for (Value& item : writer) {
      item = item.is_none() ? place.stores[0] : item;
    }
    place.writer = f_.list(writer);
    kept_.push_back(place.writer);
    kept_.push_back(place.reader);
  }

  Interpreter& interp_;
  Forms f_;
  const Environment* env_;
  PlaceOptions options_;
  RootedVector<Value> own_kept_;
  RootedVector<Value>& kept_;
};

Place PlaceFinder::find(Value form) {
  interp_.check_stack();
  if (form.is_symbol()) {
    return variable(form);
  }
  if (!form.is_cons() || list_length(form) < 0 || !car(form).is_symbol()) {
    fail_form(interp_, form, "`{}` is not a place that `setf` could store into",
              interp_.print(form));
  }
  return call(form);
}

Place PlaceFinder::variable(Value symbol) {
  Value expansion = symbol_expansion(symbol, env_);
  if (!expansion.is_none()) {
    return find(expansion);
  }
  if (symbol.as<Symbol>()->has(kConstant) || symbol.is_nil() || symbol == Value::t()) {
    fail(Diag::ConstantAssignment, interp_.current_span(), "`{}` is a constant; it cannot be assigned",
         interp_.print(symbol));
  }
  Place place;
  place.reader = symbol;
  close(place, {f_.symbol("SETQ"), symbol, Value()});
  return place;
}

Place PlaceFinder::call(Value form) {
  Value head = car(form);
  const Environment* local = Analyzer::find_function(env_, head);
  if (local == nullptr) {
    const SetfTable& table = SetfTable::of(interp_);
    if (const SetfTable::Definition* definition = table.definition(head)) {
      return defined(form, *definition);
    }
    if (const AccessorRow* row = table.accessor(head)) {
      return accessor(form, *row);
    }
    if (head == f_.symbol("THE")) {
      Place place = find(caddr(form));
      place.reader = f_({"THE", cadr(form), place.reader});
      return place;
    }
    if (head == f_.symbol("VALUES")) {
      return values(form);
    }
    if (head == f_.symbol("GETF")) {
      return property(form);
    }
    if (head == f_.symbol("LDB") || head == f_.symbol("MASK-FIELD")) {
      return bits(form);
    }
    if (head == f_.symbol("APPLY")) {
      return applied(form);
    }
  }
  bool is_function = local != nullptr && local->kind == Environment::Kind::Function;
  if (!is_function && interp_.function_of(f_({"SETF", head})).is_none()) {
    bool expanded = false;
    Value expansion = interp_.macroexpand_1(form, env_, &expanded);
    if (expanded) {
      return find(expansion);
    }
    if (interp_.is_special_form(head)) {
      fail_form(interp_, form, "`{}` is not a place that `setf` could store into",
                interp_.print(form));
    }
  }
  return setf_function(form);
}

Place PlaceFinder::accessor(Value form, const AccessorRow& row) {
  Place place;
  std::vector<Value> writer{f_.symbol(row.setter)};
  ListBuilder reader(interp_);
  reader.add(row.inner != nullptr
                 ? f_.symbol(row.setter == std::string_view("%SET-CAR") ? "CAR" : "CDR")
                 : car(form));
  if (row.index >= 0) {
    writer.push_back(Value::fixnum(row.index));
  }
  for (Value argument : list_items(cdr(form))) {
    Value subform = row.inner != nullptr ? f_({row.inner, argument}) : argument;
    Value bound =
        row.inner != nullptr && options_.keep_variables && is_simple_form(interp_, argument, env_)
            ? subform
            : bind(subform, place);
    writer.push_back(bound);
    reader.add(bound);
  }
  writer.push_back(Value());
  place.reader = reader.take();
  close(place, std::move(writer));
  return place;
}

Place PlaceFinder::setf_function(Value form) {
  Place place;
  std::vector<Value> writer{f_.symbol("FUNCALL"), f_.function(f_({"SETF", car(form)})), Value()};
  ListBuilder reader(interp_);
  reader.add(car(form));
  for (Value argument : list_items(cdr(form))) {
    Value bound = bind(argument, place);
    writer.push_back(bound);
    reader.add(bound);
  }
  place.reader = reader.take();
  close(place, std::move(writer));
  return place;
}

Place PlaceFinder::updated(Value form, Value updater) {
  Place place;
  std::vector<Value> writer{updater};
  ListBuilder reader(interp_);
  reader.add(car(form));
  for (Value argument : list_items(cdr(form))) {
    Value bound = bind(argument, place);
    writer.push_back(bound);
    reader.add(bound);
  }
  writer.push_back(Value());
  place.reader = reader.take();
  close(place, std::move(writer));
  return place;
}

Place PlaceFinder::defined(Value form, const SetfTable::Definition& definition) {
  if (definition.kind == SetfTable::Kind::Update) {
    return updated(form, definition.function);
  }
  Place place;
  if (definition.kind == SetfTable::Kind::Long) {
    ListBuilder variables(interp_);
    for (Value argument : list_items(cdr(form))) {
      variables.add(bind(argument, place));
    }
    for (int64_t i = 0; i < definition.stores; ++i) {
      place.stores.push_back(f_.gensym("NEW"));
    }
    std::vector<Value> args{variables.take()};
    args.insert(args.end(), place.stores.begin(), place.stores.end());
    place.reader = interp_.cons(car(form), args[0]);
    place.writer = interp_.call(definition.function, args);
    for (Value form_part : {args[0], place.reader, place.writer}) {
      kept_.push_back(form_part);
    }
    for (Value store : place.stores) {
      kept_.push_back(store);
    }
    return place;
  }
  Value env = Value::object(interp_.heap().make<EnvironmentObject>(env_));
  Value primary = interp_.call(definition.function, {form, env});
  std::vector<Value> parts = interp_.values_after(primary);
  if (parts.size() != 5) {
    fail_form(interp_, form, "the setf expander of `{}` returned {} values; expected 5",
              interp_.print(car(form)), parts.size());
  }
  place.variables = expect_list_items(interp_, parts[0], "variables of the setf expansion");
  place.values = expect_list_items(interp_, parts[1], "values of the setf expansion");
  place.stores = expect_list_items(interp_, parts[2], "store variables of the setf expansion");
  place.writer = parts[3];
  place.reader = parts[4];
  for (Value part : parts) {
    kept_.push_back(part);
  }
  if (place.variables.size() != place.values.size()) {
    fail_form(interp_, form, "the setf expander of `{}` returned {} variables for {} values",
              interp_.print(car(form)), place.variables.size(), place.values.size());
  }
  return place;
}

// (values place...)
Place PlaceFinder::values(Value form) {
  Place out;
  ListBuilder readers(interp_);
  ListBuilder writers(interp_);
  readers.add(f_.symbol("VALUES"));
  writers.add(f_.symbol("VALUES"));
  for (Value subform : list_items(cdr(form))) {
    Place place = find(subform);
    take_bindings(place, out);
    if (place.stores.empty()) {
      continue;
    }
    out.stores.push_back(place.stores[0]);
    kept_.push_back(place.stores[0]);
    Value writer = place.writer;
    for (size_t i = 1; i < place.stores.size(); ++i) {  // further values of the place become NIL
      writer = f_({"LET", f_({f_({place.stores[i], Value::nil()})}), writer});
    }
    readers.add(place.reader);
    writers.add(writer);
  }
  out.reader = readers.take();
  out.writer = writers.take();
  kept_.push_back(out.reader);
  kept_.push_back(out.writer);
  return out;
}

// (getf place indicator [default])
Place PlaceFinder::property(Value form) {
  if (list_length(form) < 3) {
    fail_form(interp_, form, "`getf` expects a place and an indicator");
  }
  Place list = find(cadr(form));
  Place place;
  take_bindings(list, place);
  Value indicator = bind(caddr(form), place);
  ListBuilder rest(interp_);
  for (Value extra : list_items(cdr(cddr(form)))) {
    rest.add(bind(extra, place));
  }
  Value stored = f_.gensym("NEW");
  place.stores = {stored};
  kept_.push_back(stored);
  place.reader = f_({"GETF", list.reader, indicator}, rest.take());
  place.writer =
      f_({"PROGN", list.store(f_, f_({"%PUTF", list.reader, indicator, stored})), stored});
  kept_.push_back(place.reader);
  kept_.push_back(place.writer);
  return place;
}

// (ldb bytespec place), (mask-field bytespec place)
Place PlaceFinder::bits(Value form) {
  if (list_length(form) != 3) {
    fail_form(interp_, form, "`{}` expects a byte specifier and a place", interp_.print(car(form)));
  }
  Place place;
  Value spec = bind(cadr(form), place);
  Place integer = find(caddr(form));
  take_bindings(integer, place);
  Value stored = f_.gensym("NEW");
  const char* deposit = named(car(form), "LDB") ? "DPB" : "DEPOSIT-FIELD";
  place.stores = {stored};
  kept_.push_back(stored);
  place.reader = f_({car(form), spec, integer.reader});
  place.writer =
      f_({"PROGN", integer.store(f_, f_({deposit, stored, spec, integer.reader})), stored});
  kept_.push_back(place.reader);
  kept_.push_back(place.writer);
  return place;
}

// (apply #'accessor argument... list)
Place PlaceFinder::applied(Value form) {
  Value function = cadr(form);
  if (!named(car(function), "FUNCTION") || !cadr(function).is_symbol() || list_length(form) < 3) {
    fail_form(interp_, form, "`setf` of `apply` expects (apply #'accessor argument... list)");
  }
  Place place;
  std::vector<Value> writer{f_.symbol("APPLY"), f_.function(f_({"SETF", cadr(function)})), Value()};
  ListBuilder reader(interp_);
  reader.add(f_.symbol("APPLY"));
  reader.add(function);
  for (Value argument : list_items(cddr(form))) {
    Value bound = bind(argument, place);
    writer.push_back(bound);
    reader.add(bound);
  }
  place.reader = reader.take();
  close(place, std::move(writer));
  return place;
}

// (%define-setf name kind function number-of-stores)
Value define_setf(Interpreter& interp, std::span<Value> args) {
  SetfTable::Kind kind = named(args[1], "UPDATE") ? SetfTable::Kind::Update
                         : named(args[1], "LONG") ? SetfTable::Kind::Long
                                                  : SetfTable::Kind::Expander;
  SetfTable::of(interp).define(args[0], {kind, args[2], args[3].fixnum_value()});
  return args[0];
}

// (defsetf access updater) or (defsetf access lambda-list (store...) body...)
Value expand_defsetf(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  Value name = cadr(form);
  if (list_length(form) < 3 || !name.is_symbol()) {
    fail_form(interp, form, "`defsetf` expects an accessor and how to store");
  }
  if (!caddr(form).is_list()) {
    return f({"%DEFINE-SETF", f.quote(name), ":UPDATE", f.quote(caddr(form)), 1});
  }
  Value stores = car(cdr(cddr(form)));
  if (list_length(stores) < 1) {
    fail_form(interp, form, "`defsetf` expects a list of store variables");
  }
  Value arguments = f.gensym("ARGUMENTS");
  Body body = split_body(interp, cdr(cdr(cddr(form))), true);
  ListBuilder forms(interp);
  forms.append(body.declarations);
  forms.add(f({"BLOCK", name}, body.forms));
  Value expansion = expand_destructuring(interp, caddr(form), arguments,
                                         "setf of `" + interp.print(name) + "`", forms.take());
  return f({"%DEFINE-SETF", f.quote(name), ":LONG",
            f.function(f.lambda(f({arguments}, stores), f({expansion}))),
            static_cast<int>(list_length(stores))});
}

// (define-setf-expander access lambda-list body...)
Value expand_define_setf_expander(Interpreter& interp, Value form, const Environment*) {
  Forms f(interp);
  if (list_length(form) < 3 || !cadr(form).is_symbol()) {
    fail_form(interp, form, "`define-setf-expander` expects an accessor and a lambda list");
  }
  Value whole = f.gensym("FORM");
  Value env = f.gensym("ENVIRONMENT");
  Body body = split_body(interp, cdr(cddr(form)), true);
  ListBuilder forms(interp);
  forms.append(body.declarations);
  forms.add(f({"BLOCK", cadr(form)}, body.forms));
  Value expansion =
      expand_destructuring(interp, caddr(form), f({"CDR", whole}),
                           "setf of `" + interp.print(cadr(form)) + "`", forms.take(), env);
  return f({"%DEFINE-SETF", f.quote(cadr(form)), ":EXPANDER",
            f.function(f.lambda(f({whole, env}), f({expansion}))), 1});
}

Value get_setf_expansion(Interpreter& interp, std::span<Value> args) {
  const EnvironmentObject* env = arg_or(args, 1).try_as<EnvironmentObject>();
  Place place = find_place(interp, args[0], env == nullptr ? nullptr : env->env);
  return interp.set_values({interp.list(place.variables), interp.list(place.values),
                            interp.list(place.stores), place.writer, place.reader});
}

constexpr Builtin kPlaceBuiltins[] = {
    {"%DEFINE-SETF", "CATEN", 4, 4, "for defsetf and define-setf-expander", define_setf},
    {"GET-SETF-EXPANSION", "CL", 1, 2, "how a place is read and stored into", get_setf_expansion},
};

constexpr MacroRow kSetfDefinitionMacros[] = {
    {"DEFSETF", "CL", "defines how an accessor is stored into", expand_defsetf},
    {"DEFINE-SETF-EXPANDER", "CL", "defines the setf expansion of an accessor",
     expand_define_setf_expander},
};

/// The setf function of a standard accessor: the new value comes first.
Value call_setter(Interpreter& interp, std::span<Value> args) {
  std::vector<Value> rotated(args.begin() + 1, args.end());
  rotated.push_back(args[0]);
  return interp.call(interp.callee().data[0], rotated);
}

}  // namespace

std::span<const Builtin> place_builtins() {
  return kPlaceBuiltins;
}
std::span<const MacroRow> setf_definition_macros() {
  return kSetfDefinitionMacros;
}

Value Place::store(const Forms& f, Value form) const {
  if (open_writer.empty()) {
    Value bound = stores.size() == 1 ? f({"LET", f({f({stores[0], form})}), writer})
                                     : f({"MULTIPLE-VALUE-BIND", f.list(stores), form, writer});
    return bound;
  }
  std::vector<Value> out = open_writer;
  for (Value& item : out) {
    item = item.is_none() ? form : item;
  }
  return f.list(out);
}

Value Place::bindings(const Forms& f) const {
  ListBuilder out(f.interp());
  for (size_t i = 0; i < variables.size(); ++i) {
    out.add(f({variables[i], values[i]}));
  }
  return out.take();
}

bool is_simple_form(Interpreter& interp, Value form, const Environment* env) {
  return is_constant_form(interp, form) ||
         (form.is_symbol() && symbol_expansion(form, env).is_none());
}

Place find_place(Interpreter& interp, Value form, const Environment* env, PlaceOptions options) {
  return PlaceFinder(interp, env, options).find(form);
}

Value expand_setf_pair(Interpreter& interp, Value form, Value value, const Environment* env) {
  Forms f(interp);
  const AccessorRow* row = nullptr;
  if (form.is_cons() && car(form).is_symbol() && list_length(form) > 0 &&
      Analyzer::find_function(env, car(form)) == nullptr &&
      SetfTable::of(interp).definition(car(form)) == nullptr) {
    row = SetfTable::of(interp).accessor(car(form));
  }
  if (row != nullptr) {
    // The setter takes the place's arguments and then the value: in order as it stands.
    ListBuilder out(interp);
    out.add(f.symbol(row->setter));
    if (row->index >= 0) {
      out.add(Value::fixnum(row->index));
    }
    for (Value argument : list_items(cdr(form))) {
      out.add(row->inner != nullptr ? f({row->inner, argument}) : argument);
    }
    out.add(value);
    return out.take();
  }
  Place place =
      find_place(interp, form, env, {.keep_variables = is_simple_form(interp, value, env)});
  return f.let(place.bindings(f), place.store(f, value));
}

void install_places(Interpreter& interp) {
  for (const AccessorRow& row : kAccessors) {
    if (row.inner == nullptr && row.index < 0) {
      Value name = interp.list({interp.cl("SETF"), interp.cl(row.name)});
      Value setter = Forms(interp).symbol(row.setter);
      interp.set_function(name, interp.native("setf function", call_setter, 1, -1, {setter}));
    }
  }
}

}  // namespace caten::lisp
