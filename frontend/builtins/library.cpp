// Assembles the Common Lisp library: tables, constants and special variables.
#include <cmath>
#include <limits>

#include "frontend/builtins/tables.h"
#include "frontend/lisp/print.h"
#include "frontend/lisp/random_state.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {
namespace {

void define_constant(Interpreter& interp, std::string_view name, Value value) {
  const Value symbol = interp.cl(name);
  interp.cl_package().export_symbol(symbol);
  Symbol& cell = *symbol.as<Symbol>();
  cell.value = value;
  cell.flags |= kSpecial | kConstant;
}

void define_constants(Interpreter& interp) {
  using Single = std::numeric_limits<float>;
  using Real = std::numeric_limits<double>;
  const auto integer = [&](std::string_view name, int64_t n) {
    define_constant(interp, name, interp.integer(n));
  };
  integer("MOST-POSITIVE-FIXNUM", (int64_t{1} << 62) - 1);
  integer("MOST-NEGATIVE-FIXNUM", -(int64_t{1} << 62));
  integer("CHAR-CODE-LIMIT", 0x110000);
  integer("ARRAY-RANK-LIMIT", 129);
  integer("ARRAY-DIMENSION-LIMIT", int64_t{1} << 28);
  integer("ARRAY-TOTAL-SIZE-LIMIT", int64_t{1} << 28);
  integer("CALL-ARGUMENTS-LIMIT", 4096);
  integer("LAMBDA-PARAMETERS-LIMIT", 4096);
  integer("MULTIPLE-VALUES-LIMIT", 4096);
  integer("INTERNAL-TIME-UNITS-PER-SECOND", 1'000'000);
  constexpr const char* kBoole[] = {"CLR", "SET", "1",    "2",   "C1",    "C2",    "AND",  "IOR",
                                    "XOR", "EQV", "NAND", "NOR", "ANDC1", "ANDC2", "ORC1", "ORC2"};
  for (size_t i = 0; i < std::size(kBoole); ++i) {
    integer(fmt::format("BOOLE-{}", kBoole[i]), static_cast<int64_t>(i));
  }

  const auto floats = [&](std::string_view name, float single, double real) {
    for (const char* kind : {"SHORT-FLOAT", "SINGLE-FLOAT"}) {
      define_constant(interp, fmt::format(fmt::runtime(name), kind), Value::single(single));
    }
    for (const char* kind : {"DOUBLE-FLOAT", "LONG-FLOAT"}) {
      define_constant(interp, fmt::format(fmt::runtime(name), kind), interp.real(real));
    }
  };
  floats("MOST-POSITIVE-{}", Single::max(), Real::max());
  floats("MOST-NEGATIVE-{}", Single::lowest(), Real::lowest());
  floats("LEAST-POSITIVE-{}", Single::denorm_min(), Real::denorm_min());
  floats("LEAST-NEGATIVE-{}", -Single::denorm_min(), -Real::denorm_min());
  floats("LEAST-POSITIVE-NORMALIZED-{}", Single::min(), Real::min());
  floats("LEAST-NEGATIVE-NORMALIZED-{}", -Single::min(), -Real::min());
  // The least e with 1 + e /= 1 and 1 - e /= 1: half an ulp and a bit more.
  floats("{}-EPSILON", std::nextafter(0x1p-24F, 1.0F), std::nextafter(0x1p-53, 1.0));
  floats("{}-NEGATIVE-EPSILON", std::nextafter(0x1p-25F, 1.0F), std::nextafter(0x1p-54, 1.0));
  define_constant(interp, "LAMBDA-LIST-KEYWORDS",
                  interp.list({interp.cl("&OPTIONAL"), interp.cl("&REST"), interp.cl("&KEY"),
                               interp.cl("&AUX"), interp.cl("&BODY"), interp.cl("&WHOLE"),
                               interp.cl("&ENVIRONMENT"), interp.cl("&ALLOW-OTHER-KEYS")}));
  define_constant(interp, "PI", interp.real(3.141592653589793));
}

}  // namespace

void install_library(Interpreter& interp) {
  install_printer(interp);
  install_console_streams(interp);
  define_constants(interp);

  for (const std::span<const Builtin> table :
       {adjust_builtins(),  alexandria_builtins(),    array_builtins(),  bits_builtins(),
        char_builtins(),    compatibility_builtins(), file_builtins(),   environment_builtins(),
        float_builtins(),   hash_builtins(),          io_builtins(),     list_builtins(),
        mapping_builtins(), number_builtins(),        ppcre_builtins(),  ppcre_text_builtins(),
        print_builtins(),   random_builtins(),        search_builtins(), sequence_builtins(),
        set_builtins(),     sort_builtins(),          string_builtins(), symbol_builtins(),
        text_builtins()}) {
    interp.install(table);
  }
  for (const std::span<const MacroRow> table :
       {alexandria_macros(), compatibility_macros(), io_macros(), ppcre_macros(), symbol_macros(),
        text_macros()}) {
    interp.install(table);
  }
  install_compatibility(interp);
  // Caten's own code uses with-gensyms without a package prefix.
  const Value with_gensyms =
      interp.find_package("ALEXANDRIA")->intern(interp.heap(), "WITH-GENSYMS");
  interp.caten_package().import_symbol(with_gensyms);
  interp.caten_package().export_symbol(with_gensyms);

  const Value state = interp.cl("*RANDOM-STATE*");
  interp.cl_package().export_symbol(state);
  interp.proclaim_special(state);
  interp.set_symbol_value(state, Value::object(interp.heap().make<RandomState>(42)));
}

}  // namespace caten::lisp
