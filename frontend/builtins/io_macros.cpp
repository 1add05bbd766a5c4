// Macros around streams: with-open-file and its kin.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

/// The parts of (with-... (var init...) body...).
struct WithForm {
  Value variable;
  Value init;  // the list after the variable
  Value body;
};

WithForm parts_of(Interpreter& interp, Value form) {
  const Value binding = cadr(form);
  if (!binding.is_cons() || !car(binding).is_symbol()) {
    wrong_type(interp, binding, fmt::format("second part of {}", interp.print(car(form), false)),
               "a list that begins with a variable");
  }
  return {car(binding), cdr(binding), cddr(form)};
}

Value let_form(Interpreter& interp, Value variable, Value init, Value body) {
  return interp.cons(interp.cl("LET"),
                     interp.cons(interp.list({interp.list({variable, init})}), body));
}

/// (let ((var OPEN) (done nil))
///   (unwind-protect (multiple-value-prog1 (let () body...) (setq done t))
///     (when var (close var :abort (not done)))))
Value with_closing(Interpreter& interp, Value variable, Value open, Value body) {
  const Value done = interp.gensym("DONE");
  const Value run = interp.list({interp.cl("MULTIPLE-VALUE-PROG1"),
                                 interp.cons(interp.cl("LET"), interp.cons(Value::nil(), body)),
                                 interp.list({interp.cl("SETQ"), done, Value::t()})});
  const Value close =
      interp.list({interp.cl("WHEN"), variable,
                   interp.list({interp.cl("CLOSE"), variable, interp.keyword("ABORT"),
                                interp.list({interp.cl("NOT"), done})})});
  return interp.list(
      {interp.cl("LET"),
       interp.list({interp.list({variable, open}), interp.list({done, Value::nil()})}),
       interp.list({interp.cl("UNWIND-PROTECT"), run, close})});
}

Value expand_with_open_file(Interpreter& interp, Value form, const Environment*) {
  const WithForm with = parts_of(interp, form);
  return with_closing(interp, with.variable, interp.cons(interp.cl("OPEN"), with.init), with.body);
}

Value expand_with_open_stream(Interpreter& interp, Value form, const Environment*) {
  const WithForm with = parts_of(interp, form);
  return with_closing(interp, with.variable, car(with.init), with.body);
}

Value expand_with_output_to_string(Interpreter& interp, Value form, const Environment*) {
  const WithForm with = parts_of(interp, form);
  if (with.init.is_cons() && !car(with.init).is_nil()) {
    return let_form(interp, with.variable,
                    interp.list({interp.caten("%MAKE-APPENDING-STREAM"), car(with.init)}),
                    with.body);
  }
  const Value result = interp.list({interp.cl("GET-OUTPUT-STREAM-STRING"), with.variable});
  return let_form(
      interp, with.variable, interp.list({interp.cl("MAKE-STRING-OUTPUT-STREAM")}),
      interp.list({interp.cons(interp.cl("LET"), interp.cons(Value::nil(), with.body)), result}));
}

/// (with-input-from-string (var string &key start end index) body...). INDEX is set afterwards.
Value expand_with_input_from_string(Interpreter& interp, Value form, const Environment*) {
  const WithForm with = parts_of(interp, form);
  Value start = Value::fixnum(0);
  Value end = Value::nil();
  Value index;
  for (Value rest = cdr(with.init); rest.is_cons(); rest = cddr(rest)) {
    if (car(rest) == interp.keyword("START")) {
      start = cadr(rest);
    } else if (car(rest) == interp.keyword("END")) {
      end = cadr(rest);
    } else if (car(rest) == interp.keyword("INDEX")) {
      index = cadr(rest);
    } else {
      wrong_type(interp, car(rest), "keyword", "`:start`, `:end` or `:index`");
    }
  }
  const Value open =
      interp.list({interp.cl("MAKE-STRING-INPUT-STREAM"), car(with.init), start, end});
  if (index.is_none()) {
    return let_form(interp, with.variable, open, with.body);
  }
  const Value position =
      interp.list({interp.cl("SETF"), index,
                   interp.list({interp.cl("+"), start,
                                interp.list({interp.cl("FILE-POSITION"), with.variable})})});
  const Value body =
      interp.list({interp.cl("MULTIPLE-VALUE-PROG1"),
                   interp.cons(interp.cl("LET"), interp.cons(Value::nil(), with.body)), position});
  return let_form(interp, with.variable, open, interp.list({body}));
}

/// (formatter control): a function of a stream and arguments that formats.
Value expand_formatter(Interpreter& interp, Value form, const Environment*) {
  const Value stream = interp.gensym("STREAM");
  const Value arguments = interp.gensym("ARGUMENTS");
  return interp.list(
      {interp.cl("LAMBDA"), interp.list({stream, interp.cl("&REST"), arguments}),
       interp.list({interp.cl("APPLY"), interp.list({interp.cl("FUNCTION"), interp.cl("FORMAT")}),
                    stream, cadr(form), arguments})});
}

/// (with-standard-io-syntax body...): the printer's and reader's variables at their defaults.
Value expand_with_standard_io_syntax(Interpreter& interp, Value form, const Environment*) {
  const auto binding = [&](std::string_view name, Value value) {
    return interp.list({interp.cl(name), value});
  };
  const Value nil = Value::nil();
  const Value bindings = interp.list({
      binding("*PACKAGE*", interp.list({interp.cl("FIND-PACKAGE"), interp.string("CATEN-USER")})),
      binding("*PRINT-ARRAY*", Value::t()),
      binding("*PRINT-BASE*", Value::fixnum(10)),
      binding("*PRINT-CASE*", interp.keyword("UPCASE")),
      binding("*PRINT-CIRCLE*", nil),
      binding("*PRINT-ESCAPE*", Value::t()),
      binding("*PRINT-GENSYM*", Value::t()),
      binding("*PRINT-LENGTH*", nil),
      binding("*PRINT-LEVEL*", nil),
      binding("*PRINT-PRETTY*", nil),
      binding("*PRINT-RADIX*", nil),
      binding("*PRINT-READABLY*", Value::t()),
      binding("*READ-BASE*", Value::fixnum(10)),
      binding("*READ-DEFAULT-FLOAT-FORMAT*",
              interp.list({interp.cl("QUOTE"), interp.cl("SINGLE-FLOAT")})),
  });
  return interp.cons(interp.cl("LET"), interp.cons(bindings, cdr(form)));
}

// clang-format off
constexpr MacroRow kIoMacros[] = {
    {"WITH-OPEN-FILE",          "CL", "(with-open-file (var path &key direction if-exists ...) body...)", expand_with_open_file},
    {"WITH-OPEN-STREAM",        "CL", "(with-open-stream (var stream) body...): closes it afterwards",   expand_with_open_stream},
    {"WITH-OUTPUT-TO-STRING",   "CL", "(with-output-to-string (var) body...): what was written",         expand_with_output_to_string},
    {"WITH-INPUT-FROM-STRING",  "CL", "(with-input-from-string (var string) body...)",                   expand_with_input_from_string},
    {"WITH-STANDARD-IO-SYNTAX", "CL", "body with the printer's variables at their defaults",             expand_with_standard_io_syntax},
    {"FORMATTER",               "CL", "(formatter control): a function that formats to a stream",        expand_formatter},
};
// clang-format on

}  // namespace

std::span<const MacroRow> io_macros() {
  return kIoMacros;
}

}  // namespace caten::lisp
