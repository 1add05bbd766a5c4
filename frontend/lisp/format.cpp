// The interpreter of parsed FORMAT directives; see format.h. One method per directive; the method
// table is kDirectives.
#include "frontend/lisp/format.h"

#include <algorithm>
#include <cmath>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/format_directive.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {
namespace {

using Directives = std::vector<FormatDirective>;

/// What ~^ does to the constructs around it.
enum class Flow : uint8_t { Next, Out, OutOut };

/// The arguments of a control string and how many of them are used.
struct Arguments {
  std::span<const Value> all;
  size_t next = 0;
  size_t remaining() const { return all.size() - next; }
};

class Formatter {
 public:
  Formatter(Interpreter& interp, Stream& out) : interp_(interp), out_(&out) {}

  void run_control(Value control, Arguments& arguments) {
    interp_.check_stack();
    if (control.is_function()) {
      RootedVector<Value> call(interp_.heap());
      call.push_back(Value::object(out_));
      for (Value argument : arguments.all.subspan(arguments.next)) {
        call.push_back(argument);
      }
      interp_.call(control, call.span());
      arguments.next = arguments.all.size();
      return;
    }
    const String& text = expect_string(interp_, control, "control string");
    const std::u32string copy(text.view());
    try {
      run(parse_format(copy), arguments);
    } catch (const FormatError& error) {
      fail(Diag::LispError, interp_.current_span(),
           "in the control string \"{}\" at position {}: {}", encode_utf8(copy), error.position,
           error.message);
    }
  }

 private:
  using Method = Flow (Formatter::*)(const FormatDirective&);
  struct Row {
    char32_t character;
    int max_parameters;
    bool colon, at, both;  // which modifiers are allowed
    Method method;
  };
  static const Row kDirectives[];

  Flow run(const Directives& directives, Arguments& arguments) {
    Arguments* const outer = arguments_;
    arguments_ = &arguments;
    const Flow flow = run_here(directives);
    arguments_ = outer;
    return flow;
  }

  Flow run_here(const Directives& directives) {
    for (const FormatDirective& directive : directives) {
      if (directive.character == 0) {
        out_->write(directive.text);
        continue;
      }
      const Flow flow = run_directive(directive);
      if (flow != Flow::Next) {
        return flow;
      }
    }
    return Flow::Next;
  }

  Flow run_directive(const FormatDirective& directive) {
    for (const Row& row : kDirectives) {
      if (row.character != directive.character) {
        continue;
      }
      if ((directive.colon && !row.colon) || (directive.at && !row.at) ||
          (directive.colon && directive.at && !row.both)) {
        error(directive, "the directive does not take these modifiers");
      }
      if (row.max_parameters >= 0 &&
          static_cast<int>(directive.parameters.size()) > row.max_parameters) {
        error(directive,
              fmt::format("the directive takes at most {} parameters", row.max_parameters));
      }
      return (this->*row.method)(directive);
    }
    error(directive, "unknown directive");
  }

  [[noreturn]] static void error(const FormatDirective& directive, std::string message) {
    throw FormatError{std::move(message), directive.begin};
  }

  // --- arguments and parameters ---------------------------------------------------------------

  Value next_argument(const FormatDirective& directive) {
    if (arguments_->remaining() == 0) {
      error(directive, "no more arguments");
    }
    return arguments_->all[arguments_->next++];
  }

  /// A parameter as a Lisp value: an integer, a character or NIL if it is not given.
  Value parameter(const FormatDirective& directive, size_t index) {
    if (index >= directive.parameters.size()) {
      return Value::nil();
    }
    const FormatParameter& given = directive.parameters[index];
    switch (given.kind) {
      case FormatParameter::Kind::Omitted:
        return Value::nil();
      case FormatParameter::Kind::Integer:
        return Value::fixnum(given.integer);
      case FormatParameter::Kind::Character:
        return Value::character(given.character);
      case FormatParameter::Kind::Argument:
        return next_argument(directive);
      case FormatParameter::Kind::Remaining:
        return Value::fixnum(static_cast<int64_t>(arguments_->remaining()));
    }
    CATEN_UNREACHABLE("format parameter");
  }

  std::optional<int> optional_integer(const FormatDirective& directive, size_t index) {
    const Value value = parameter(directive, index);
    if (value.is_nil()) {
      return std::nullopt;
    }
    if (!value.is_fixnum()) {
      error(directive, fmt::format("parameter {} must be an integer", index + 1));
    }
    const int64_t n = value.fixnum_value();
    if (n < -kLimit || n > kLimit) {
      error(directive, fmt::format("parameter {} is too large", index + 1));
    }
    return static_cast<int>(n);
  }
  int integer(const FormatDirective& directive, size_t index, int otherwise) {
    return optional_integer(directive, index).value_or(otherwise);
  }
  std::optional<std::string> optional_character(const FormatDirective& directive, size_t index) {
    const Value value = parameter(directive, index);
    if (value.is_nil()) {
      return std::nullopt;
    }
    if (!value.is_character()) {
      error(directive, fmt::format("parameter {} must be a character", index + 1));
    }
    std::string text;
    append_utf8(text, value.character_value());
    return text;
  }
  std::string character(const FormatDirective& directive, size_t index,
                        std::string_view otherwise) {
    return optional_character(directive, index).value_or(std::string(otherwise));
  }

  void write_repeated(std::string_view unit, int64_t count) {
    std::string text;
    for (int64_t i = 0; i < count; ++i) {
      text += unit;
    }
    out_->write(text);
  }

  static int64_t width_of(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
  }

  /// Pads to `minimum` columns in steps of `step`, after at least `least` pad characters.
  void write_padded(std::string_view text, int64_t minimum, int64_t step, int64_t least,
                    std::string_view pad, bool pad_left) {
    int64_t padding = std::max<int64_t>(least, 0);
    const int64_t width = width_of(text);
    if (width + padding < minimum) {
      const int64_t lacking = minimum - width - padding;
      padding += (lacking + step - 1) / step * step;
    }
    if (pad_left) {
      write_repeated(pad, padding);
    }
    out_->write(text);
    if (!pad_left) {
      write_repeated(pad, padding);
    }
  }

  // --- objects --------------------------------------------------------------------------------

  Flow print_object(const FormatDirective& directive) {
    const int minimum = integer(directive, 0, 0);
    const int step = integer(directive, 1, 1);
    const int least = integer(directive, 2, 0);
    const std::string pad = character(directive, 3, " ");
    if (step < 1) {
      error(directive, "the column increment must be positive");
    }
    const Value object = next_argument(directive);
    const bool escape = directive.character == U'S';
    write_padded(
        object.is_nil() && directive.colon ? "()" : print_to_string(interp_, object, escape),
        minimum, step, least, pad, directive.at);
    return Flow::Next;
  }

  Flow write_object(const FormatDirective& directive) {
    Printer printer(interp_, PrintSettings::current(interp_));
    printer.print(next_argument(directive));
    out_->write(printer.take());
    return Flow::Next;
  }

  Flow print_character(const FormatDirective& directive) {
    const Value value = next_argument(directive);
    if (!value.is_character()) {
      error(directive, fmt::format("{} is not a character", interp_.print(value)));
    }
    const std::string_view name = character_name(value.character_value());
    if (directive.at) {
      out_->write(print_to_string(interp_, value, true));
    } else if (directive.colon && !name.empty()) {
      out_->write(name);
    } else {
      out_->write_char(value.character_value());
    }
    return Flow::Next;
  }

  // --- integers -------------------------------------------------------------------------------

  Flow print_based(const FormatDirective& directive, int base, size_t first) {
    const int minimum = integer(directive, first, 0);
    const std::string pad = character(directive, first + 1, " ");
    const std::string comma = character(directive, first + 2, ",");
    const int interval = integer(directive, first + 3, 3);
    const Value value = next_argument(directive);
    if (!is_integer(value)) {
      PrintSettings settings = PrintSettings::current(interp_);
      settings.escape = false;
      settings.radix = false;
      settings.base = base;
      Printer printer(interp_, settings);
      printer.print(value);
      write_padded(printer.take(), minimum, 1, 0, pad, true);
      return Flow::Next;
    }
    std::string text = integer_text(integer_value(value), base);
    if (directive.colon) {
      text = with_commas(std::move(text), comma, static_cast<size_t>(std::max(interval, 1)));
    }
    if (directive.at && text[0] != '-') {
      text.insert(0, "+");
    }
    write_padded(text, minimum, 1, 0, pad, true);
    return Flow::Next;
  }
  Flow print_decimal(const FormatDirective& directive) { return print_based(directive, 10, 0); }
  Flow print_binary(const FormatDirective& directive) { return print_based(directive, 2, 0); }
  Flow print_octal(const FormatDirective& directive) { return print_based(directive, 8, 0); }
  Flow print_hexadecimal(const FormatDirective& directive) { return print_based(directive, 16, 0); }

  Flow print_radix(const FormatDirective& directive) {
    const std::optional<int> base = optional_integer(directive, 0);
    if (base) {
      if (*base < 2 || *base > 36) {
        error(directive, fmt::format("the radix is {}; expected 2 to 36", *base));
      }
      // V and # were taken for the base already: print_based must not see that parameter again.
      return print_based(directive, *base, 1);
    }
    const Value value = next_argument(directive);
    if (!is_integer(value)) {
      error(directive, fmt::format("{} is not an integer", interp_.print(value)));
    }
    const int64_t n = integer_value(value);
    if (!directive.at) {
      out_->write(directive.colon ? ordinal_text(n) : cardinal_text(n));
      return Flow::Next;
    }
    const std::optional<std::string> roman = roman_text(n, directive.colon);
    if (!roman) {
      error(directive, fmt::format("{} has no Roman numeral", n));
    }
    out_->write(*roman);
    return Flow::Next;
  }

  Flow print_plural(const FormatDirective& directive) {
    if (directive.colon) {
      if (arguments_->next == 0) {
        error(directive, "no previous argument");
      }
      --arguments_->next;
    }
    const bool one = next_argument(directive) == Value::fixnum(1);
    out_->write(directive.at ? (one ? "y" : "ies") : (one ? "" : "s"));
    return Flow::Next;
  }

  // --- floats ---------------------------------------------------------------------------------

  struct Float {
    double value;
    FloatKind kind;
    char marker;
  };

  /// The next argument as a float, or nothing after writing an argument that is no number.
  std::optional<Float> next_float(const FormatDirective& directive, int width) {
    const Value value = next_argument(directive);
    const Value format = interp_.cl("*READ-DEFAULT-FLOAT-FORMAT*").as<Symbol>()->value;
    const bool default_double = format == interp_.cl("DOUBLE-FLOAT");
    std::optional<Float> number;
    if (const Double* real = value.try_as<Double>()) {
      number = {real->value, FloatKind::Double, default_double ? 'e' : 'd'};
    } else if (is_number(value)) {
      const auto single = static_cast<float>(expect_real(interp_, value, "argument"));
      number = {static_cast<double>(single), FloatKind::Single, default_double ? 'f' : 'e'};
    }
    if (!number) {
      write_padded(print_to_string(interp_, value, false), width, 1, 0, " ", true);
    } else if (!std::isfinite(number->value)) {
      write_padded(print_to_string(interp_, value, true), width, 1, 0, " ", true);
      number.reset();
    }
    return number;
  }

  Flow print_fixed(const FormatDirective& directive) {
    FloatFormat format{.width = optional_integer(directive, 0),
                       .fraction = optional_integer(directive, 1),
                       .scale = optional_integer(directive, 2),
                       .overflow = optional_character(directive, 3),
                       .pad = character(directive, 4, " "),
                       .always_sign = directive.at};
    check_digits(directive, format);
    if (const std::optional<Float> number = next_float(directive, format.width.value_or(0))) {
      bool overflowed = false;
      out_->write(fixed_text(number->value, number->kind, format, &overflowed));
    }
    return Flow::Next;
  }

  void check_digits(const FormatDirective& directive, const FloatFormat& format) {
    if (format.width.value_or(0) < 0 || format.fraction.value_or(0) < 0 ||
        format.exponent_width.value_or(0) < 0) {
      error(directive, "a width is negative");
    }
  }

  FloatFormat exponential_format(const FormatDirective& directive) {
    FloatFormat format{.width = optional_integer(directive, 0),
                       .fraction = optional_integer(directive, 1),
                       .exponent_width = optional_integer(directive, 2),
                       .scale = optional_integer(directive, 3),
                       .overflow = optional_character(directive, 4),
                       .pad = character(directive, 5, " "),
                       .marker = optional_character(directive, 6),
                       .always_sign = directive.at};
    check_digits(directive, format);
    return format;
  }

  Flow print_exponential(const FormatDirective& directive) {
    const FloatFormat format = exponential_format(directive);
    if (const std::optional<Float> number = next_float(directive, format.width.value_or(0))) {
      out_->write(exponential_text(number->value, number->kind, format, number->marker));
    }
    return Flow::Next;
  }

  Flow print_general(const FormatDirective& directive) {
    const FloatFormat format = exponential_format(directive);
    if (const std::optional<Float> number = next_float(directive, format.width.value_or(0))) {
      out_->write(general_text(number->value, number->kind, format, number->marker));
    }
    return Flow::Next;
  }

  Flow print_dollars(const FormatDirective& directive) {
    const DollarFormat format{.fraction = std::max(0, integer(directive, 0, 2)),
                              .whole = integer(directive, 1, 1),
                              .width = integer(directive, 2, 0),
                              .pad = character(directive, 3, " "),
                              .sign_first = directive.colon,
                              .always_sign = directive.at};
    if (const std::optional<Float> number = next_float(directive, format.width)) {
      out_->write(dollar_text(number->value, number->kind, format));
    }
    return Flow::Next;
  }

  // --- layout ---------------------------------------------------------------------------------

  Flow newline(const FormatDirective& directive) {
    write_repeated("\n", integer(directive, 0, 1));
    return Flow::Next;
  }
  Flow fresh_line(const FormatDirective& directive) {
    const int count = integer(directive, 0, 1);
    if (count > 0) {
      write_repeated("\n", count - (out_->column == 0 ? 1 : 0));
    }
    return Flow::Next;
  }
  Flow page(const FormatDirective& directive) {
    write_repeated("\f", integer(directive, 0, 1));
    return Flow::Next;
  }
  Flow tilde(const FormatDirective& directive) {
    write_repeated("~", integer(directive, 0, 1));
    return Flow::Next;
  }

  Flow tabulate(const FormatDirective& directive) {
    const int64_t target = integer(directive, 0, 1);
    const int64_t step = integer(directive, 1, 1);
    const auto column = static_cast<int64_t>(out_->column);
    int64_t spaces = 0;
    if (directive.at) {
      spaces = target;
      if (step > 0 && (column + target) % step != 0) {
        spaces += step - (column + target) % step;
      }
    } else if (column < target) {
      spaces = target - column;
    } else if (step > 0) {
      spaces = step - (column - target) % step;
    }
    write_repeated(" ", spaces);
    return Flow::Next;
  }

  /// ~_ : only the mandatory kind breaks the line, as there is no pretty printer's line filling.
  Flow conditional_newline(const FormatDirective& directive) {
    if (directive.colon && directive.at) {
      out_->write("\n");
    }
    return Flow::Next;
  }
  Flow indent(const FormatDirective& directive) {
    optional_integer(directive, 0);
    return Flow::Next;
  }

  // --- control --------------------------------------------------------------------------------

  void move_to(const FormatDirective& directive, int64_t position) {
    if (position < 0 || position > static_cast<int64_t>(arguments_->all.size())) {
      error(directive, fmt::format("argument {} does not exist; there are {}", position,
                                   arguments_->all.size()));
    }
    arguments_->next = static_cast<size_t>(position);
  }

  Flow go_to(const FormatDirective& directive) {
    const auto here = static_cast<int64_t>(arguments_->next);
    if (directive.at) {
      move_to(directive, integer(directive, 0, 0));
    } else {
      const int count = integer(directive, 0, 1);
      move_to(directive, directive.colon ? here - count : here + count);
    }
    return Flow::Next;
  }

  Flow indirect(const FormatDirective& directive) {
    const Value control = next_argument(directive);
    if (directive.at) {
      run_control(control, *arguments_);
      return Flow::Next;
    }
    const Value list = next_argument(directive);
    const RootedVector<Value> items(interp_.heap(), list_argument(directive, list));
    Arguments inner{span_of_items(items)};
    run_control(control, inner);
    return Flow::Next;
  }

  std::vector<Value> list_argument(const FormatDirective& directive, Value list) {
    if (!list.is_list() || list_length(list) < 0) {
      error(directive, fmt::format("{} is not a proper list", interp_.print(list)));
    }
    std::vector<Value> items;
    for (Value item : list_items(list)) {
      items.push_back(item);
    }
    return items;
  }
  static std::span<const Value> span_of_items(const RootedVector<Value>& items) {
    return const_cast<RootedVector<Value>&>(items).span();
  }

  /// Runs directives into a stream of their own that starts at the current column.
  Flow run_aside(const Directives& directives, std::string* text) {
    const Value aside = make_string_output_stream(interp_);
    Stream* const outer = out_;
    out_ = aside.as<Stream>();
    out_->column = outer->column;
    const Flow flow = run_here(directives);
    *text = take_output(*out_);
    out_ = outer;
    return flow;
  }

  Flow change_case(const FormatDirective& directive);
  Flow choose(const FormatDirective& directive);
  Flow escape(const FormatDirective& directive);
  Flow iterate(const FormatDirective& directive);
  Flow iterate_body(const FormatDirective& directive, Arguments& arguments, Value control);
  Flow justify(const FormatDirective& directive);
  Flow logical_block(const FormatDirective& directive);
  Flow call_function(const FormatDirective& directive);

  static constexpr int kLimit = 100'000;  // of widths and counts

  Interpreter& interp_;
  Stream* out_;
  Arguments* arguments_ = nullptr;
  size_t outer_remaining_ = 0;  // sublists left in the innermost ~:{ , for ~:^
};

/// ~( : lower case, ~:( words capitalised, ~@( first letter capitalised, ~:@( upper case.
Flow Formatter::change_case(const FormatDirective& directive) {
  std::string text;
  const Flow flow = run_aside(directive.clauses[0].body, &text);
  bool word = false;
  bool first = true;
  for (char& c : text) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool raise = directive.colon && directive.at ? true
                       : directive.colon               ? !word
                       : directive.at                  ? first
                                                       : false;
    if (raise && lower) {
      c = static_cast<char>(c - 'a' + 'A');
    } else if (!raise && upper) {
      c = static_cast<char>(c - 'A' + 'a');
    }
    word = lower || upper || (c >= '0' && c <= '9');
    first = first && !word;
  }
  out_->write(text);
  return flow;
}

Flow Formatter::choose(const FormatDirective& directive) {
  const auto& clauses = directive.clauses;
  if (directive.at) {
    if (clauses.size() != 1) {
      error(directive, "`~@[` takes exactly one clause");
    }
    if (next_argument(directive).is_nil()) {
      return Flow::Next;
    }
    --arguments_->next;
    return run_here(clauses[0].body);
  }
  if (directive.colon) {
    if (clauses.size() != 2) {
      error(directive, "`~:[` takes exactly two clauses");
    }
    return run_here(clauses[next_argument(directive).is_nil() ? 0 : 1].body);
  }
  Value index = parameter(directive, 0);
  if (index.is_nil()) {
    index = next_argument(directive);
  }
  if (!is_integer(index)) {
    error(directive, fmt::format("{} is not an integer", interp_.print(index)));
  }
  const bool has_default = clauses.size() > 1 && clauses[clauses.size() - 2].separator_colon;
  const auto cases = static_cast<int64_t>(clauses.size()) - (has_default ? 1 : 0);
  const int64_t chosen = integer_value(index);
  if (chosen >= 0 && chosen < cases) {
    return run_here(clauses[static_cast<size_t>(chosen)].body);
  }
  return has_default ? run_here(clauses.back().body) : Flow::Next;
}

Flow Formatter::escape(const FormatDirective& directive) {
  Value given[3];
  for (size_t i = 0; i < 3; ++i) {
    given[i] = parameter(directive, i);
  }
  const auto number = [](Value v) {
    return v.is_character() ? static_cast<int64_t>(v.character_value()) : v.fixnum_value();
  };
  bool leave = false;
  if (!given[2].is_nil()) {
    leave = number(given[0]) <= number(given[1]) && number(given[1]) <= number(given[2]);
  } else if (!given[1].is_nil()) {
    leave = given[0] == given[1];
  } else if (!given[0].is_nil()) {
    leave = given[0] == Value::fixnum(0);
  } else {
    leave = directive.colon ? outer_remaining_ == 0 : arguments_->remaining() == 0;
  }
  return !leave ? Flow::Next : directive.colon ? Flow::OutOut : Flow::Out;
}

Flow Formatter::iterate(const FormatDirective& directive) {
  const std::optional<int> limit = optional_integer(directive, 0);
  const bool from_argument = directive.clauses[0].body.empty();
  const Value control = from_argument ? next_argument(directive) : Value();
  RootedVector<Value> items(interp_.heap());
  Arguments list;
  Arguments* all = arguments_;
  if (!directive.at) {
    *items = list_argument(directive, next_argument(directive));
    list.all = items.span();
    all = &list;
  }
  for (int64_t rounds = 0; !limit || rounds < *limit; ++rounds) {
    if (all->remaining() == 0 && !(directive.close_colon && rounds == 0)) {
      break;
    }
    Flow flow = Flow::Next;
    if (directive.colon) {
      if (all->remaining() == 0) {
        break;
      }
      const RootedVector<Value> part(interp_.heap(),
                                     list_argument(directive, all->all[all->next++]));
      Arguments inner{span_of_items(part)};
      const size_t before = outer_remaining_;
      outer_remaining_ = all->remaining();
      flow = iterate_body(directive, inner, control);
      outer_remaining_ = before;
      flow = flow == Flow::Out ? Flow::Next : flow;
    } else {
      const size_t before = all->next;
      flow = iterate_body(directive, *all, control);
      if (all->next == before && flow == Flow::Next && !limit && all->remaining() > 0) {
        error(directive, "the body of the iteration uses no argument, so it would never end");
      }
    }
    if (flow != Flow::Next) {
      break;
    }
  }
  return Flow::Next;
}

Flow Formatter::iterate_body(const FormatDirective& directive, Arguments& arguments,
                             Value control) {
  if (control.is_none()) {
    return run(directive.clauses[0].body, arguments);
  }
  if (control.is_function()) {
    run_control(control, arguments);
    return Flow::Next;
  }
  const std::u32string text(expect_string(interp_, control, "control string").view());
  interp_.check_stack();
  return run(parse_format(text), arguments);
}

/// ~mincol,colinc,minpad,padchar<...~;...~> : spreads segments over a field.
Flow Formatter::justify(const FormatDirective& directive) {
  if (directive.close_colon) {
    return logical_block(directive);
  }
  const int minimum = integer(directive, 0, 0);
  const int step = std::max(1, integer(directive, 1, 1));
  const int least = integer(directive, 2, 0);
  const std::string pad = character(directive, 3, " ");
  std::vector<std::string> segments;
  std::string prefix;
  int64_t spare = 0;
  int64_t line_width = 72;
  const bool overflow_clause = directive.clauses.size() > 1 && directive.clauses[0].separator_colon;
  for (size_t i = 0; i < directive.clauses.size(); ++i) {
    std::string text;
    const Flow flow = run_aside(directive.clauses[i].body, &text);
    if (flow != Flow::Next) {
      break;  // ~^ ends the segments; the one it stands in is dropped
    }
    if (i == 0 && overflow_clause) {
      FormatDirective separator;
      separator.parameters = directive.clauses[0].separator_parameters;
      separator.begin = directive.begin;
      spare = integer(separator, 0, 0);
      line_width = integer(separator, 1, 72);
      prefix = std::move(text);
    } else {
      segments.push_back(std::move(text));
    }
  }
  int64_t width = 0;
  for (const std::string& segment : segments) {
    width += width_of(segment);
  }
  const bool pad_first = directive.colon || (segments.size() == 1 && !directive.at);
  const auto gaps =
      static_cast<int64_t>(segments.size()) - 1 + (pad_first ? 1 : 0) + (directive.at ? 1 : 0);
  const int64_t needed = width + gaps * least;
  const int64_t total =
      needed <= minimum ? minimum : minimum + (needed - minimum + step - 1) / step * step;
  if (overflow_clause && static_cast<int64_t>(out_->column) + total + spare > line_width) {
    out_->write(prefix);
  }
  int64_t padding = total - width;
  int64_t gaps_left = gaps;
  const auto gap = [&] {
    const int64_t size = gaps_left > 0 ? (padding + gaps_left - 1) / gaps_left : 0;
    write_repeated(pad, size);
    padding -= size;
    --gaps_left;
  };
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 || pad_first) {
      gap();
    }
    out_->write(segments[i]);
  }
  if (directive.at) {
    gap();
  }
  return Flow::Next;
}

/// ~<prefix~;body~;suffix~:> : the body runs over the elements of a list argument (over all
/// remaining arguments with @), between prefix and suffix, `(` and `)` under the colon.
Flow Formatter::logical_block(const FormatDirective& directive) {
  const auto& clauses = directive.clauses;
  if (clauses.size() > 3) {
    error(directive, "a logical block has at most a prefix, a body and a suffix");
  }
  const auto literal = [&](const FormatDirective::Clause& clause) {
    std::string text;
    for (const FormatDirective& part : clause.body) {
      if (part.character != 0) {
        error(directive, "prefix and suffix of a logical block must be plain text");
      }
      text += part.text;
    }
    return text;
  };
  std::string prefix = directive.colon ? "(" : "";
  std::string suffix = directive.colon ? ")" : "";
  const size_t body = clauses.size() > 1 ? 1 : 0;
  if (clauses.size() > 1) {
    prefix = literal(clauses[0]);
  }
  if (clauses.size() > 2) {
    suffix = literal(clauses[2]);
  }
  if (directive.at) {
    out_->write(prefix);
    run_here(clauses[body].body);
    arguments_->next = arguments_->all.size();
    out_->write(suffix);
    return Flow::Next;
  }
  const Value list = next_argument(directive);
  if (!list.is_list()) {
    out_->write(print_to_string(interp_, list, true));
    return Flow::Next;
  }
  const RootedVector<Value> items(interp_.heap(), list_argument(directive, list));
  Arguments inner{span_of_items(items)};
  out_->write(prefix);
  run(clauses[body].body, inner);
  out_->write(suffix);
  return Flow::Next;
}

/// ~/package:name/ : calls (name stream argument colon at parameters...).
Flow Formatter::call_function(const FormatDirective& directive) {
  std::string name;
  for (char c : directive.text) {
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  Package* package = &interp_.user_package();
  if (const size_t colon = name.find(':'); colon != std::string::npos) {
    package = interp_.find_package(name.substr(0, colon));
    if (package == nullptr) {
      error(directive, fmt::format("there is no package `{}`", name.substr(0, colon)));
    }
    name = name.substr(name.find_last_of(':') + 1);
  }
  RootedVector<Value> call(interp_.heap());
  call.push_back(Value::object(out_));
  RootedVector<Value> parameters(interp_.heap());
  for (size_t i = 0; i < directive.parameters.size(); ++i) {
    parameters.push_back(parameter(directive, i));
  }
  call.push_back(next_argument(directive));
  call.push_back(Value::boolean(directive.colon));
  call.push_back(Value::boolean(directive.at));
  for (Value value : parameters) {
    call.push_back(value);
  }
  interp_.call(package->intern(interp_.heap(), name), call.span());
  return Flow::Next;
}

// clang-format off
const Formatter::Row Formatter::kDirectives[] = {
    // character, parameters, colon, at, both, method
    {U'A',  4, true,  true,  true,  &Formatter::print_object},
    {U'S',  4, true,  true,  true,  &Formatter::print_object},
    {U'W',  0, true,  true,  true,  &Formatter::write_object},
    {U'C',  0, true,  true,  true,  &Formatter::print_character},
    {U'D',  4, true,  true,  true,  &Formatter::print_decimal},
    {U'B',  4, true,  true,  true,  &Formatter::print_binary},
    {U'O',  4, true,  true,  true,  &Formatter::print_octal},
    {U'X',  4, true,  true,  true,  &Formatter::print_hexadecimal},
    {U'R',  5, true,  true,  true,  &Formatter::print_radix},
    {U'P',  0, true,  true,  true,  &Formatter::print_plural},
    {U'F',  5, false, true,  false, &Formatter::print_fixed},
    {U'E',  7, false, true,  false, &Formatter::print_exponential},
    {U'G',  7, false, true,  false, &Formatter::print_general},
    {U'$',  4, true,  true,  true,  &Formatter::print_dollars},
    {U'%',  1, false, false, false, &Formatter::newline},
    {U'&',  1, false, false, false, &Formatter::fresh_line},
    {U'|',  1, false, false, false, &Formatter::page},
    {U'~',  1, false, false, false, &Formatter::tilde},
    {U'T',  2, true,  true,  true,  &Formatter::tabulate},
    {U'_',  0, true,  true,  true,  &Formatter::conditional_newline},
    {U'I',  1, true,  false, false, &Formatter::indent},
    {U'*',  1, true,  true,  false, &Formatter::go_to},
    {U'?',  0, false, true,  false, &Formatter::indirect},
    {U'(',  0, true,  true,  true,  &Formatter::change_case},
    {U'[',  1, true,  true,  false, &Formatter::choose},
    {U'{',  1, true,  true,  true,  &Formatter::iterate},
    {U'<',  4, true,  true,  true,  &Formatter::justify},
    {U'^',  3, true,  false, false, &Formatter::escape},
    {U'/', -1, true,  true,  true,  &Formatter::call_function},
};
// clang-format on

}  // namespace

void format(Interpreter& interp, Stream& out, Value control, std::span<const Value> arguments) {
  Arguments all{arguments};
  Formatter(interp, out).run_control(control, all);
}

std::string format_to_string(Interpreter& interp, Value control, std::span<const Value> arguments) {
  const Value stream = make_string_output_stream(interp);
  format(interp, *stream.as<Stream>(), control, arguments);
  return take_output(*stream.as<Stream>());
}

}  // namespace caten::lisp
