// Formatter: the interpreter of parsed FORMAT directives, one method per directive. Private to
// format.cpp (arguments, control) and format_output.cpp (objects, numbers, layout).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/lisp/format_directive.h"
#include "frontend/lisp/interpreter.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

/// What ~^ does to the constructs around it.
enum class FormatFlow : uint8_t { Next, Out, OutOut };

/// The arguments of a control string and how many of them are used.
struct FormatArguments {
  std::span<const Value> all;
  size_t next = 0;
  size_t remaining() const { return all.size() - next; }
};

class Formatter {
 public:
  Formatter(Interpreter& interp, Stream& out) : interp_(interp), out_(&out) {}

  void run_control(Value control, FormatArguments& arguments);

 private:
  using Method = FormatFlow (Formatter::*)(const FormatDirective&);
  struct Row {
    char32_t character;
    int max_parameters;
    bool colon, at, both;  // which modifiers are allowed
    Method method;
  };
  static const Row kDirectives[29];

  FormatFlow run(const std::vector<FormatDirective>& directives, FormatArguments& arguments);

  FormatFlow run_here(const std::vector<FormatDirective>& directives);

  FormatFlow run_directive(const FormatDirective& directive);

  [[noreturn]] static void error(const FormatDirective& directive, std::string message);

  // --- arguments and parameters ---------------------------------------------------------------

  Value next_argument(const FormatDirective& directive);

  /// A parameter as a Lisp value: an integer, a character or NIL if it is not given.
  Value parameter(const FormatDirective& directive, size_t index);

  std::optional<int> optional_integer(const FormatDirective& directive, size_t index);
  int integer(const FormatDirective& directive, size_t index, int otherwise);
  std::optional<std::string> optional_character(const FormatDirective& directive, size_t index);
  std::string character(const FormatDirective& directive, size_t index, std::string_view otherwise);

  void write_repeated(std::string_view unit, int64_t count);

  static int64_t width_of(std::string_view text);

  /// Pads to `minimum` columns in steps of `step`, after at least `least` pad characters.
  void write_padded(std::string_view text, int64_t minimum, int64_t step, int64_t least,
                    std::string_view pad, bool pad_left);

  // --- objects --------------------------------------------------------------------------------

  FormatFlow print_object(const FormatDirective& directive);

  FormatFlow write_object(const FormatDirective& directive);

  FormatFlow print_character(const FormatDirective& directive);

  // --- integers -------------------------------------------------------------------------------

  FormatFlow print_based(const FormatDirective& directive, int base, size_t first);
  FormatFlow print_decimal(const FormatDirective& directive) {
    return print_based(directive, 10, 0);
  }
  FormatFlow print_binary(const FormatDirective& directive) { return print_based(directive, 2, 0); }
  FormatFlow print_octal(const FormatDirective& directive) { return print_based(directive, 8, 0); }
  FormatFlow print_hexadecimal(const FormatDirective& directive) {
    return print_based(directive, 16, 0);
  }

  FormatFlow print_radix(const FormatDirective& directive);

  FormatFlow print_plural(const FormatDirective& directive);

  // --- floats ---------------------------------------------------------------------------------

  struct Float {
    double value;
    FloatKind kind;
    char marker;
  };

  /// The next argument as a float, or nothing after writing an argument that is no number.
  std::optional<Float> next_float(const FormatDirective& directive, int width);

  FormatFlow print_fixed(const FormatDirective& directive);

  void check_digits(const FormatDirective& directive, const FloatFormat& format);

  FloatFormat exponential_format(const FormatDirective& directive);

  FormatFlow print_exponential(const FormatDirective& directive);

  FormatFlow print_general(const FormatDirective& directive);

  FormatFlow print_dollars(const FormatDirective& directive);

  // --- layout ---------------------------------------------------------------------------------

  FormatFlow newline(const FormatDirective& directive);
  FormatFlow fresh_line(const FormatDirective& directive);
  FormatFlow page(const FormatDirective& directive);
  FormatFlow tilde(const FormatDirective& directive);

  FormatFlow tabulate(const FormatDirective& directive);

  /// ~_ : only the mandatory kind breaks the line, as there is no pretty printer's line filling.
  FormatFlow conditional_newline(const FormatDirective& directive);
  FormatFlow indent(const FormatDirective& directive);

  // --- control --------------------------------------------------------------------------------

  void move_to(const FormatDirective& directive, int64_t position);

  FormatFlow go_to(const FormatDirective& directive);

  FormatFlow indirect(const FormatDirective& directive);

  std::vector<Value> list_argument(const FormatDirective& directive, Value list);
  static std::span<const Value> span_of_items(const RootedVector<Value>& items);

  /// Runs directives into a stream of their own that starts at the current column.
  FormatFlow run_aside(const std::vector<FormatDirective>& directives, std::string* text);

  FormatFlow change_case(const FormatDirective& directive);
  FormatFlow choose(const FormatDirective& directive);
  FormatFlow escape(const FormatDirective& directive);
  FormatFlow iterate(const FormatDirective& directive);
  FormatFlow iterate_body(const FormatDirective& directive, FormatArguments& arguments,
                          Value control);
  FormatFlow justify(const FormatDirective& directive);
  FormatFlow logical_block(const FormatDirective& directive);
  FormatFlow call_function(const FormatDirective& directive);

  static constexpr int kLimit = 100'000;  // of widths and counts

  Interpreter& interp_;
  Stream* out_;
  FormatArguments* arguments_ = nullptr;
  size_t outer_remaining_ = 0;  // sublists left in the innermost ~:{ , for ~:^
};

}  // namespace caten::lisp
