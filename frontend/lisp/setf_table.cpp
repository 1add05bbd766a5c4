// The table of setf_table.h; defsetf and define-setf-expander.
#include "frontend/lisp/setf_table.h"

#include "frontend/builtins/builtins.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/analyze.h"
#include "frontend/lisp/lambda_list.h"
#include "frontend/lisp/places.h"

namespace caten::lisp {

namespace {

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

// (%define-setf name kind function number-of-stores)
Value define_setf(Interpreter& interp, std::span<Value> args) {
  SetfTable::Kind kind = named(args[1], "UPDATE") ? SetfTable::Kind::Update
                         : named(args[1], "LONG") ? SetfTable::Kind::Long
                                                  : SetfTable::Kind::Expander;
  expect_symbol(interp, args[0], "accessor");
  interp.check_lock(args[0]);
  if (kind != SetfTable::Kind::Update) {
    expect_function(interp, args[2], "function that stores");
  }
  SetfTable::of(interp).define(args[0],
                               {kind, args[2], expect_index(interp, args[3], "number of stores")});
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

SetfTable::SetfTable(Interpreter& interp) : interp_(interp) {
  for (const AccessorRow& row : kAccessors) {
    accessors_.emplace(interp.cl(row.name).bits(), &row);
  }
  interp.heap().add_root(this);
}

SetfTable::~SetfTable() {
  interp_.heap().remove_root(this);
}

std::span<const Builtin> place_builtins() {
  return kPlaceBuiltins;
}
std::span<const MacroRow> setf_definition_macros() {
  return kSetfDefinitionMacros;
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
