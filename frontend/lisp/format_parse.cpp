// FORMAT control strings to directives.
//
//   directive = "~" [ parameter { "," parameter } ] { ":" | "@" } character
//   parameter = [ integer | "'" character | "V" | "#" ]
#include <fmt/core.h>

#include "frontend/lisp/format_directive.h"
#include "frontend/lisp/value.h"

namespace caten::lisp {
namespace {

constexpr std::u32string_view kKnown = U"ASDBOXRPCFEG$%&|~\nT*?_WI({[<)}]>;^/";

class Parser {
 public:
  explicit Parser(std::u32string_view control) : control_(control) {}

  std::vector<FormatDirective> parse() {
    std::vector<FormatDirective> all = parse_until(U"", nullptr);
    return all;
  }

 private:
  [[noreturn]] void error(std::string message, size_t position) {
    throw FormatError{std::move(message), position};
  }

  /// Directives up to one of the closing characters, which goes to `closing`.
  std::vector<FormatDirective> parse_until(std::u32string_view closers, FormatDirective* closing) {
    std::vector<FormatDirective> out;
    while (at_ < control_.size()) {
      const size_t tilde = std::min(control_.find(U'~', at_), control_.size());
      if (tilde > at_) {
        FormatDirective literal;
        literal.text = encode_utf8(control_.substr(at_, tilde - at_));
        literal.begin = at_;
        literal.end = at_ = tilde;
        out.push_back(std::move(literal));
        continue;
      }
      FormatDirective directive = parse_directive();
      if (closers.find(directive.character) != std::u32string_view::npos) {
        *closing = std::move(directive);
        return out;
      }
      if (std::u32string_view(U")}]>;").find(directive.character) != std::u32string_view::npos) {
        error(fmt::format("`~{}` has nothing to close",
                          encode_utf8(std::u32string(1, directive.character))),
              directive.begin);
      }
      parse_clauses(directive);
      out.push_back(std::move(directive));
    }
    return out;
  }

  void parse_clauses(FormatDirective& directive) {
    std::u32string_view closers;
    switch (directive.character) {
      case U'(':
        closers = U")";
        break;
      case U'{':
        closers = U"}";
        break;
      case U'[':
        closers = U"];";
        break;
      case U'<':
        closers = U">;";
        break;
      default:
        return;
    }
    if (++depth_ > 200) {
      error("directives are nested too deeply", directive.begin);
    }
    while (true) {
      FormatDirective closing;
      FormatDirective::Clause clause;
      clause.body = parse_until(closers, &closing);
      if (closing.character == 0) {
        error(fmt::format("`~{}` is not closed; expected `~{}`",
                          static_cast<char>(directive.character), static_cast<char>(closers[0])),
              directive.begin);
      }
      const bool last = closing.character != U';';
      if (!last) {
        clause.separator_colon = closing.colon;
        clause.separator_parameters = std::move(closing.parameters);
      }
      directive.clauses.push_back(std::move(clause));
      if (last) {
        directive.close_colon = closing.colon;
        directive.close_at = closing.at;
        break;
      }
    }
    --depth_;
    directive.end = at_;
  }

  FormatDirective parse_directive() {
    FormatDirective directive;
    directive.begin = at_++;
    parse_parameters(directive);
    while (at_ < control_.size() && (control_[at_] == U':' || control_[at_] == U'@')) {
      (control_[at_] == U':' ? directive.colon : directive.at) = true;
      ++at_;
    }
    if (at_ >= control_.size()) {
      error("the control string ends inside a directive", directive.begin);
    }
    char32_t c = control_[at_++];
    if (c >= U'a' && c <= U'z') {
      c -= U'a' - U'A';
    }
    directive.character = c;
    if (kKnown.find(c) == std::u32string_view::npos) {
      error(fmt::format("unknown directive `~{}`", encode_utf8(std::u32string(1, c))),
            directive.begin);
    }
    if (c == U'/') {
      const size_t close = control_.find(U'/', at_);
      if (close == std::u32string_view::npos) {
        error("the name in `~/name/` is not closed", directive.begin);
      }
      directive.text = encode_utf8(control_.substr(at_, close - at_));
      at_ = close + 1;
    }
    if (c == U'\n') {
      skip_line_start(directive);
    }
    directive.end = at_;
    return directive;
  }

  /// ~newline ignores the newline and the white space after it; `:` keeps the white space, `@` the
  /// newline. What is kept becomes literal text.
  void skip_line_start(FormatDirective& directive) {
    directive.text = directive.at ? "\n" : "";
    directive.character = 0;
    while (!directive.colon && at_ < control_.size() &&
           (control_[at_] == U' ' || control_[at_] == U'\t' || control_[at_] == U'\n')) {
      ++at_;
    }
  }

  void parse_parameters(FormatDirective& directive) {
    while (at_ < control_.size()) {
      FormatParameter parameter{.kind = FormatParameter::Kind::Omitted};
      const char32_t c = control_[at_];
      if (c == U'\'' && at_ + 1 < control_.size()) {
        parameter.kind = FormatParameter::Kind::Character;
        parameter.character = control_[at_ + 1];
        at_ += 2;
      } else if (c == U'V' || c == U'v') {
        parameter.kind = FormatParameter::Kind::Argument;
        ++at_;
      } else if (c == U'#') {
        parameter.kind = FormatParameter::Kind::Remaining;
        ++at_;
      } else if (is_digit(c) || ((c == U'-' || c == U'+') && at_ + 1 < control_.size() &&
                                 is_digit(control_[at_ + 1]))) {
        parameter.kind = FormatParameter::Kind::Integer;
        parameter.integer = parse_integer(directive.begin);
      }
      const bool comma = at_ < control_.size() && control_[at_] == U',';
      if (comma || parameter.kind != FormatParameter::Kind::Omitted) {
        directive.parameters.push_back(parameter);
      }
      if (!comma) {
        return;
      }
      ++at_;
    }
  }

  static bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

  int64_t parse_integer(size_t begin) {
    const bool negative = control_[at_] == U'-';
    if (negative || control_[at_] == U'+') {
      ++at_;
    }
    int64_t n = 0;
    for (; at_ < control_.size() && is_digit(control_[at_]); ++at_) {
      n = n * 10 + static_cast<int64_t>(control_[at_] - U'0');
      if (n > 1'000'000'000) {
        error("a parameter is too large", begin);
      }
    }
    return negative ? -n : n;
  }

  std::u32string_view control_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<FormatDirective> parse_format(std::u32string_view control) {
  return Parser(control).parse();
}

}  // namespace caten::lisp
