// Analysis of places.
#include "frontend/lisp/places.h"

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/setf_table.h"
#include "frontend/lisp/symbol_macros.h"

namespace caten::lisp {

namespace {

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
  Value expansion = symbol_expansion(interp_, symbol, env_);
  if (!expansion.is_none()) {
    return find(expansion);
  }
  if (symbol.as<Symbol>()->has(kConstant) || symbol.is_nil() || symbol == Value::t()) {
    fail(Diag::ConstantAssignment, interp_.current_span(),
         "`{}` is a constant; it cannot be assigned", interp_.print(symbol));
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

}  // namespace

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
         (form.is_symbol() && symbol_expansion(interp, form, env).is_none());
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

}  // namespace caten::lisp
