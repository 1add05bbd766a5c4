// FORMAT's objects, numbers and layout; see formatter.h.
#include <algorithm>
#include <cmath>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/formatter.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {

FormatFlow Formatter::print_object(const FormatDirective& directive) {
  const int minimum = integer(directive, 0, 0);
  const int step = integer(directive, 1, 1);
  const int least = integer(directive, 2, 0);
  const std::string pad = character(directive, 3, " ");
  if (step < 1 || minimum < 0) {
    error(directive, "the width must not be negative, nor its increment below 1");
  }
  const Value object = next_argument(directive);
  const bool escape = directive.character == U'S';
  write_padded(object.is_nil() && directive.colon ? "()" : print_to_string(interp_, object, escape),
               minimum, step, least, pad, directive.at);
  return FormatFlow::Next;
}

FormatFlow Formatter::write_object(const FormatDirective& directive) {
  Printer printer(interp_, PrintSettings::current(interp_));
  printer.print(next_argument(directive));
  out_->write(printer.take());
  return FormatFlow::Next;
}

FormatFlow Formatter::print_character(const FormatDirective& directive) {
  const Value value = next_argument(directive);
  if (!value.is_character()) {
    error(directive, fmt::format("{} is not a character", interp_.print(value)));
  }
  const std::string_view name = character_name(value.character_value());
  if (directive.at && !directive.colon) {
    out_->write(print_to_string(interp_, value, true));
  } else if (directive.colon && !name.empty()) {
    out_->write(name);
  } else {
    out_->write_char(value.character_value());
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::print_based(const FormatDirective& directive, int base, size_t first) {
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
    out_->write(printer.take());
    return FormatFlow::Next;
  }
  std::string text = integer_text(integer_value(value), base);
  if (directive.colon) {
    text = with_commas(std::move(text), comma, static_cast<size_t>(std::max(interval, 1)));
  }
  if (directive.at && text[0] != '-') {
    text.insert(0, "+");
  }
  write_padded(text, minimum, 1, 0, pad, true);
  return FormatFlow::Next;
}

FormatFlow Formatter::print_radix(const FormatDirective& directive) {
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
    return FormatFlow::Next;
  }
  const std::optional<std::string> roman = roman_text(n, directive.colon);
  if (!roman) {
    error(directive, fmt::format("{} has no Roman numeral", n));
  }
  out_->write(*roman);
  return FormatFlow::Next;
}

FormatFlow Formatter::print_plural(const FormatDirective& directive) {
  if (directive.colon) {
    if (arguments_->next == 0) {
      error(directive, "no previous argument");
    }
    --arguments_->next;
  }
  const bool one = next_argument(directive) == Value::fixnum(1);
  out_->write(directive.at ? (one ? "y" : "ies") : (one ? "" : "s"));
  return FormatFlow::Next;
}

std::optional<Formatter::Float> Formatter::next_float(const FormatDirective& directive, int width) {
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
    write_padded(print_to_string(interp_, value, false), width, 1, 0, " ",
                 directive.character == U'$');
  } else if (!std::isfinite(number->value)) {
    write_padded(print_to_string(interp_, value, true), width, 1, 0, " ", true);
    number.reset();
  }
  return number;
}

FormatFlow Formatter::print_fixed(const FormatDirective& directive) {
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
  return FormatFlow::Next;
}

void Formatter::check_digits(const FormatDirective& directive, const FloatFormat& format) {
  if (format.width.value_or(0) < 0 || format.fraction.value_or(0) < 0 ||
      format.exponent_width.value_or(0) < 0) {
    error(directive, "a width is negative");
  }
}

FloatFormat Formatter::exponential_format(const FormatDirective& directive) {
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

FormatFlow Formatter::print_exponential(const FormatDirective& directive) {
  const FloatFormat format = exponential_format(directive);
  if (const std::optional<Float> number = next_float(directive, format.width.value_or(0))) {
    out_->write(exponential_text(number->value, number->kind, format, number->marker));
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::print_general(const FormatDirective& directive) {
  const FloatFormat format = exponential_format(directive);
  if (const std::optional<Float> number = next_float(directive, format.width.value_or(0))) {
    out_->write(general_text(number->value, number->kind, format, number->marker));
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::print_dollars(const FormatDirective& directive) {
  const DollarFormat format{.fraction = std::max(0, integer(directive, 0, 2)),
                            .whole = integer(directive, 1, 1),
                            .width = integer(directive, 2, 0),
                            .pad = character(directive, 3, " "),
                            .sign_first = directive.colon,
                            .always_sign = directive.at};
  if (const std::optional<Float> number = next_float(directive, format.width)) {
    out_->write(dollar_text(number->value, number->kind, format));
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::newline(const FormatDirective& directive) {
  write_repeated("\n", integer(directive, 0, 1));
  return FormatFlow::Next;
}

FormatFlow Formatter::fresh_line(const FormatDirective& directive) {
  const int count = integer(directive, 0, 1);
  if (count > 0) {
    write_repeated("\n", count - (out_->column == 0 ? 1 : 0));
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::page(const FormatDirective& directive) {
  write_repeated("\f", integer(directive, 0, 1));
  return FormatFlow::Next;
}

FormatFlow Formatter::tilde(const FormatDirective& directive) {
  write_repeated("~", integer(directive, 0, 1));
  return FormatFlow::Next;
}

FormatFlow Formatter::tabulate(const FormatDirective& directive) {
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
  return FormatFlow::Next;
}

FormatFlow Formatter::conditional_newline(const FormatDirective& directive) {
  if (directive.colon && directive.at) {
    out_->write("\n");
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::indent(const FormatDirective& directive) {
  optional_integer(directive, 0);
  return FormatFlow::Next;
}

FormatFlow Formatter::change_case(const FormatDirective& directive) {
  std::string text;
  const FormatFlow flow = run_aside(directive.clauses[0].body, &text);
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

FormatFlow Formatter::justify(const FormatDirective& directive) {
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
    const FormatFlow flow = run_aside(directive.clauses[i].body, &text);
    if (flow != FormatFlow::Next) {
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
    const int64_t size = gaps_left > 0 ? padding / gaps_left : 0;
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
  return FormatFlow::Next;
}

FormatFlow Formatter::logical_block(const FormatDirective& directive) {
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
    return FormatFlow::Next;
  }
  const Value list = next_argument(directive);
  if (!list.is_list()) {
    out_->write(print_to_string(interp_, list, true));
    return FormatFlow::Next;
  }
  const RootedVector<Value> items(interp_.heap(), list_argument(directive, list));
  FormatArguments inner{span_of_items(items)};
  out_->write(prefix);
  run(clauses[body].body, inner);
  out_->write(suffix);
  return FormatFlow::Next;
}

}  // namespace caten::lisp
