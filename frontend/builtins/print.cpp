// The printing functions and FORMAT as builtins.
#include "frontend/lisp/print.h"

#include <memory>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/format.h"
#include "frontend/lisp/pretty.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// Prints under *PRINT-ESCAPE* bound to `escape`, so that print-object methods see it.
std::string printed(Interpreter& interp, Value object, bool escape) {
  const Interpreter::Binding binding(interp, interp.cl("*PRINT-ESCAPE*"), Value::boolean(escape));
  return print_to_string(interp, object, escape);
}

Value print_prin1(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, arg_or(args, 1));
  out.write(printed(interp, args[0], true));
  return args[0];
}

Value print_princ(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, arg_or(args, 1));
  out.write(printed(interp, args[0], false));
  return args[0];
}

Value print_print(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, arg_or(args, 1));
  const std::string text = printed(interp, args[0], true);
  out.write("\n" + text + " ");
  return args[0];
}

Value print_pprint(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, arg_or(args, 1));
  const std::string text = pretty_text(interp, args[0]);
  out.write("\n" + text);
  return interp.set_values({});
}

Value print_prin1_to_string(Interpreter& interp, Args args) {
  return interp.string(printed(interp, args[0], true));
}

Value print_princ_to_string(Interpreter& interp, Args args) {
  return interp.string(printed(interp, args[0], false));
}

struct WriteKey {
  std::string_view keyword;
  std::string_view variable;
};
constexpr WriteKey kWriteKeys[] = {
    {"ESCAPE", "*PRINT-ESCAPE*"},
    {"READABLY", "*PRINT-READABLY*"},
    {"PRETTY", "*PRINT-PRETTY*"},
    {"CIRCLE", "*PRINT-CIRCLE*"},
    {"RADIX", "*PRINT-RADIX*"},
    {"ARRAY", "*PRINT-ARRAY*"},
    {"GENSYM", "*PRINT-GENSYM*"},
    {"BASE", "*PRINT-BASE*"},
    {"LENGTH", "*PRINT-LENGTH*"},
    {"LEVEL", "*PRINT-LEVEL*"},
    {"LINES", "*PRINT-LINES*"},
    {"CASE", "*PRINT-CASE*"},
    {"RIGHT-MARGIN", "*PRINT-RIGHT-MARGIN*"},
};

KeywordArgs write_keys(Interpreter& interp, Args args) {
  return {interp,
          args,
          1,
          {"STREAM", "ESCAPE", "READABLY", "PRETTY", "CIRCLE", "RADIX", "ARRAY", "GENSYM", "BASE",
           "LENGTH", "LEVEL", "LINES", "CASE", "RIGHT-MARGIN"}};
}

std::string written(Interpreter& interp, Value object, const KeywordArgs& keys) {
  std::vector<std::unique_ptr<Interpreter::Binding>> bindings;
  for (const WriteKey& key : kWriteKeys) {
    if (keys.given(key.keyword)) {
      bindings.push_back(std::make_unique<Interpreter::Binding>(interp, interp.cl(key.variable),
                                                                keys.get(key.keyword)));
    }
  }
  Printer printer(interp, PrintSettings::current(interp));
  printer.print(object);
  std::string text = printer.take();
  while (!bindings.empty()) {
    bindings.pop_back();  // innermost first
  }
  return text;
}

Value print_write(Interpreter& interp, Args args) {
  const KeywordArgs keys = write_keys(interp, args);
  Stream& out = output_stream(interp, keys.get("STREAM"));
  out.write(written(interp, args[0], keys));
  return args[0];
}

Value print_write_to_string(Interpreter& interp, Args args) {
  return interp.string(written(interp, args[0], write_keys(interp, args)));
}

Value print_terpri(Interpreter& interp, Args args) {
  output_stream(interp, arg_or(args, 0)).write("\n");
  return Value::nil();
}

Value print_fresh_line(Interpreter& interp, Args args) {
  Stream& out = output_stream(interp, arg_or(args, 0));
  if (out.column == 0) {
    return Value::nil();
  }
  out.write("\n");
  return Value::t();
}

/// The destination NIL gives a string, T is *STANDARD-OUTPUT*, a string with a fill pointer is
/// appended to.
Value print_format(Interpreter& interp, Args args) {
  const Args rest = args.subspan(2);
  if (args[0].is_nil()) {
    return interp.string(format_to_string(interp, args[1], rest));
  }
  if (String* target = args[0].try_as<String>()) {
    if (target->fill_pointer < 0) {
      wrong_type(interp, args[0], "destination", "a string with a fill pointer");
    }
    target->append(decode_utf8(format_to_string(interp, args[1], rest)));
    return Value::nil();
  }
  format(interp, output_stream(interp, args[0] == Value::t() ? Value::nil() : args[0]), args[1],
         rest);
  return Value::nil();
}

// clang-format off
constexpr Builtin kPrintBuiltins[] = {
    // name               package min max  doc                                                        function
    {"PRIN1",             "CL",   1,  2,   "prints an object so that it reads back",                  print_prin1},
    {"PRINC",             "CL",   1,  2,   "prints an object for people: no quotes, no escapes",      print_princ},
    {"PRINT",             "CL",   1,  2,   "a newline, the object as by prin1, a space",              print_print},
    {"PPRINT",            "CL",   1,  2,   "a newline and the object, broken into indented lines",    print_pprint},
    {"PRIN1-TO-STRING",   "CL",   1,  1,   "what prin1 prints, as a string",                          print_prin1_to_string},
    {"PRINC-TO-STRING",   "CL",   1,  1,   "what princ prints, as a string",                          print_princ_to_string},
    {"WRITE",             "CL",   1,  -1,  "prints under the *PRINT-...* variables or keywords",      print_write},
    {"WRITE-TO-STRING",   "CL",   1,  -1,  "what write prints, as a string",                          print_write_to_string},
    {"TERPRI",            "CL",   0,  1,   "ends the line",                                           print_terpri},
    {"FRESH-LINE",        "CL",   0,  1,   "ends the line unless it is empty; true if it did",        print_fresh_line},
    {"FORMAT",            "CL",   2,  -1,  "(format destination control &rest arguments)",            print_format},
};
// clang-format on

}  // namespace

std::span<const Builtin> print_builtins() {
  return kPrintBuiltins;
}

}  // namespace caten::lisp
