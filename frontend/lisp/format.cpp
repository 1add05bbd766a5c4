// FORMAT's arguments, parameters and control flow; see format.h and formatter.h.
#include "frontend/lisp/format.h"

#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/formatter.h"
#include "frontend/lisp/print.h"

namespace caten::lisp {

void Formatter::run_control(Value control, FormatArguments& arguments) {
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
    fail(Diag::FormatDirective, interp_.current_span(),
         "in the control string \"{}\" at position {}: {}", encode_utf8(copy), error.position,
         error.message);
  }
}

FormatFlow Formatter::run(const std::vector<FormatDirective>& directives,
                          FormatArguments& arguments) {
  FormatArguments* const outer = arguments_;
  arguments_ = &arguments;
  const FormatFlow flow = run_here(directives);
  arguments_ = outer;
  return flow;
}

FormatFlow Formatter::run_here(const std::vector<FormatDirective>& directives) {
  for (const FormatDirective& directive : directives) {
    if (directive.character == 0) {
      out_->write(directive.text);
      continue;
    }
    const FormatFlow flow = run_directive(directive);
    if (flow != FormatFlow::Next) {
      return flow;
    }
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::run_directive(const FormatDirective& directive) {
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

void Formatter::error(const FormatDirective& directive, std::string message) {
  throw FormatError{std::move(message), directive.begin};
}

Value Formatter::next_argument(const FormatDirective& directive) {
  if (arguments_->remaining() == 0) {
    error(directive, "no more arguments");
  }
  return arguments_->all[arguments_->next++];
}

Value Formatter::parameter(const FormatDirective& directive, size_t index) {
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

std::optional<int> Formatter::optional_integer(const FormatDirective& directive, size_t index) {
  const Value value = parameter(directive, index);
  if (value.is_nil()) {
    return std::nullopt;
  }
  if (!value.is_fixnum()) {
    wrong_type(interp_, value, fmt::format("parameter {} of a directive", index + 1), "an integer");
  }
  const int64_t n = value.fixnum_value();
  if (n < -kLimit || n > kLimit) {
    error(directive, fmt::format("parameter {} is too large", index + 1));
  }
  return static_cast<int>(n);
}

int Formatter::integer(const FormatDirective& directive, size_t index, int otherwise) {
  return optional_integer(directive, index).value_or(otherwise);
}

std::optional<std::string> Formatter::optional_character(const FormatDirective& directive,
                                                         size_t index) {
  const Value value = parameter(directive, index);
  if (value.is_nil()) {
    return std::nullopt;
  }
  if (!value.is_character()) {
    wrong_type(interp_, value, fmt::format("parameter {} of a directive", index + 1),
               "a character");
  }
  std::string text;
  append_utf8(text, value.character_value());
  return text;
}

std::string Formatter::character(const FormatDirective& directive, size_t index,
                                 std::string_view otherwise) {
  return optional_character(directive, index).value_or(std::string(otherwise));
}

void Formatter::write_repeated(std::string_view unit, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += unit;
  }
  out_->write(text);
}

int64_t Formatter::width_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

void Formatter::write_padded(std::string_view text, int64_t minimum, int64_t step, int64_t least,
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

void Formatter::move_to(const FormatDirective& directive, int64_t position) {
  if (position < 0 || position > static_cast<int64_t>(arguments_->all.size())) {
    error(directive, fmt::format("argument {} does not exist; there are {}", position,
                                 arguments_->all.size()));
  }
  arguments_->next = static_cast<size_t>(position);
}

FormatFlow Formatter::go_to(const FormatDirective& directive) {
  const auto here = static_cast<int64_t>(arguments_->next);
  if (directive.at) {
    move_to(directive, integer(directive, 0, 0));
  } else {
    const int count = integer(directive, 0, 1);
    move_to(directive, directive.colon ? here - count : here + count);
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::indirect(const FormatDirective& directive) {
  const Value control = next_argument(directive);
  if (directive.at) {
    run_control(control, *arguments_);
    return FormatFlow::Next;
  }
  const Value list = next_argument(directive);
  const RootedVector<Value> items(interp_.heap(), list_argument(directive, list));
  FormatArguments inner{span_of_items(items)};
  run_control(control, inner);
  return FormatFlow::Next;
}

std::vector<Value> Formatter::list_argument(const FormatDirective& directive, Value list) {
  const std::string what = fmt::format("argument of `~{}`", static_cast<char>(directive.character));
  return expect_list_items(interp_, list, what);
}

std::span<const Value> Formatter::span_of_items(const RootedVector<Value>& items) {
  return const_cast<RootedVector<Value>&>(items).span();
}

FormatFlow Formatter::run_aside(const std::vector<FormatDirective>& directives, std::string* text) {
  const Value aside = make_string_output_stream(interp_);
  Stream* const outer = out_;
  out_ = aside.as<Stream>();
  out_->column = outer->column;
  const FormatFlow flow = run_here(directives);
  *text = take_output(*out_);
  out_ = outer;
  return flow;
}

/// ~( : lower case, ~:( words capitalised, ~@( first letter capitalised, ~:@( upper case.

FormatFlow Formatter::choose(const FormatDirective& directive) {
  const auto& clauses = directive.clauses;
  if (directive.at) {
    if (clauses.size() != 1) {
      error(directive, "`~@[` takes exactly one clause");
    }
    if (next_argument(directive).is_nil()) {
      return FormatFlow::Next;
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
  return has_default ? run_here(clauses.back().body) : FormatFlow::Next;
}

FormatFlow Formatter::escape(const FormatDirective& directive) {
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
  return !leave ? FormatFlow::Next : directive.colon ? FormatFlow::OutOut : FormatFlow::Out;
}

FormatFlow Formatter::iterate(const FormatDirective& directive) {
  const std::optional<int> limit = optional_integer(directive, 0);
  const bool from_argument = directive.clauses[0].body.empty();
  const Value control = from_argument ? next_argument(directive) : Value();
  RootedVector<Value> items(interp_.heap());
  FormatArguments list;
  FormatArguments* all = arguments_;
  if (!directive.at) {
    *items = list_argument(directive, next_argument(directive));
    list.all = items.span();
    all = &list;
  }
  for (int64_t rounds = 0; !limit || rounds < *limit; ++rounds) {
    if (all->remaining() == 0 && !(directive.close_colon && rounds == 0)) {
      break;
    }
    FormatFlow flow = FormatFlow::Next;
    if (directive.colon) {
      if (all->remaining() == 0) {
        break;
      }
      const RootedVector<Value> part(interp_.heap(),
                                     list_argument(directive, all->all[all->next++]));
      FormatArguments inner{span_of_items(part)};
      const size_t before = outer_remaining_;
      outer_remaining_ = all->remaining();
      flow = iterate_body(directive, inner, control);
      outer_remaining_ = before;
      flow = flow == FormatFlow::Out ? FormatFlow::Next : flow;
    } else {
      const size_t before = all->next;
      flow = iterate_body(directive, *all, control);
      if (all->next == before && flow == FormatFlow::Next && !limit && all->remaining() > 0) {
        error(directive, "the body of the iteration uses no argument, so it would never end");
      }
    }
    if (flow != FormatFlow::Next) {
      break;
    }
  }
  return FormatFlow::Next;
}

FormatFlow Formatter::iterate_body(const FormatDirective& directive, FormatArguments& arguments,
                                   Value control) {
  if (control.is_none()) {
    return run(directive.clauses[0].body, arguments);
  }
  if (control.is_function()) {
    run_control(control, arguments);
    return FormatFlow::Next;
  }
  const std::u32string text(expect_string(interp_, control, "control string").view());
  interp_.check_stack();
  return run(parse_format(text), arguments);
}

/// ~mincol,colinc,minpad,padchar<...~;...~> : spreads segments over a field.

/// ~<prefix~;body~;suffix~:> : the body runs over the elements of a list argument (over all

/// remaining arguments with @), between prefix and suffix, `(` and `)` under the colon.

/// ~/package:name/ : calls (name stream argument colon at parameters...).

FormatFlow Formatter::call_function(const FormatDirective& directive) {
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
  return FormatFlow::Next;
}

// clang-format off
const Formatter::Row Formatter::kDirectives[29] = {
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

void format(Interpreter& interp, Stream& out, Value control, std::span<const Value> arguments) {
  FormatArguments all{arguments};
  Formatter(interp, out).run_control(control, all);
}

std::string format_to_string(Interpreter& interp, Value control, std::span<const Value> arguments) {
  const Value stream = make_string_output_stream(interp);
  format(interp, *stream.as<Stream>(), control, arguments);
  return take_output(*stream.as<Stream>());
}

}  // namespace caten::lisp
