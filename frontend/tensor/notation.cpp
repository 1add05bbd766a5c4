// A hand-written scanner: the notation is one line long and its errors should point at a character.
#include "frontend/tensor/notation.h"

#include <fmt/core.h>

#include <charconv>
#include <set>
#include <utility>

#include "ir/support/diagnostics.h"

namespace caten::notation {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

class Scanner {
 public:
  Scanner(std::string_view text, Span literal) : text_(text), literal_(literal) {
    // Without escapes in the literal, byte i of the text is byte i + 1 of its span.
    exact_ = literal.known() && literal.end - literal.begin == text.size() + 2;
  }

  Span span(size_t begin, size_t end) const {
    if (!exact_) {
      return literal_;
    }
    return {literal_.file, literal_.begin + 1 + static_cast<uint32_t>(begin),
            literal_.begin + 1 + static_cast<uint32_t>(end)};
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      ++at_;
    }
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool at_arrow() const { return text_.substr(at_, 2) == "->"; }
  void take_arrow() { at_ += 2; }

  std::vector<Term> terms() {
    std::vector<Term> result;
    while (!at_end() && !at_arrow()) {
      result.push_back(term());
    }
    return result;
  }

  template <typename... Args>
  [[noreturn]] void error(size_t begin, size_t end, fmt::format_string<Args...> format,
                          Args&&... args) const {
    fail(Diag::ShapeNotation, span(begin, end), "{} in the shape notation \"{}\"",
         fmt::format(format, std::forward<Args>(args)...), text_);
  }
  size_t position() const { return at_; }

 private:
  bool name_ends() const {
    if (at_ == text_.size()) {
      return true;
    }
    const char c = text_[at_];
    return is_space(c) || at_arrow() || std::string_view("[]()~,:;\"'`|").find(c) != text_.npos;
  }

  std::string_view word() {
    const size_t begin = at_;
    while (!name_ends()) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  Term term() {
    const size_t begin = at_;
    const std::string_view name = word();
    if (name.empty() || is_digit(name[0])) {
      error(begin, std::max(at_, begin + 1), "expected the name of a tensor");
    }
    skip_space();
    if (at_ == text_.size() || text_[at_] != '[') {
      error(begin, at_, "expected `[` after the tensor name `{}`", name);
    }
    const size_t open = at_++;
    Term result{lower_case(name), std::string(name), {}, {}};
    while (true) {
      skip_space();
      if (at_ == text_.size() || at_arrow()) {
        error(open, open + 1, "the `[` of `{}` is never closed", name);
      }
      if (text_[at_] == ']') {
        break;
      }
      result.axes.push_back(axis(result));
    }
    ++at_;
    result.span = span(begin, at_);
    return result;
  }

  Axis axis(const Term& in) {
    const size_t begin = at_;
    Axis result;
    if (text_[at_] == '~') {
      ++at_;
      result.kind = Axis::Kind::List;
      result.name = lower_case(word());
      if (result.name.empty() && !in.axes.empty()) {
        error(begin, at_, "`~` may only come first in the axes of `{}`", in.spelling);
      }
    } else {
      const std::string_view text = word();
      if (text.empty()) {
        error(begin, begin + 1, "unexpected `{}` among the axes of `{}`", text_[begin],
              in.spelling);
      }
      if (is_digit(text[0]) || ((text[0] == '-' || text[0] == '+') && text.size() > 1)) {
        result.kind = Axis::Kind::Size;
        const char* last = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), last, result.size);
        if (parsed.ec != std::errc() || parsed.ptr != last || result.size < 0) {
          error(begin, at_, "`{}` is not a size", text);
        }
      } else {
        result.name = lower_case(text);
      }
    }
    result.span = span(begin, at_);
    return result;
  }

  std::string_view text_;
  Span literal_;
  bool exact_ = false;
  size_t at_ = 0;
};

}  // namespace

std::string Axis::to_string() const {
  switch (kind) {
    case Kind::Size:
      return fmt::format("{}", size);
    case Kind::Name:
      return name;
    case Kind::List:
      return "~" + name;
  }
  return {};
}

Notation parse(std::string_view text, Span literal) {
  Scanner scanner(text, literal);
  Notation result;
  result.span = literal;
  result.inputs = scanner.terms();
  if (scanner.at_end()) {
    scanner.error(0, text.size(), "`->` is missing");
  }
  scanner.take_arrow();
  const size_t after_arrow = scanner.position();
  result.outputs = scanner.terms();
  if (!scanner.at_end()) {
    scanner.error(scanner.position(), scanner.position() + 2, "a second `->`");
  }
  if (result.outputs.empty()) {
    scanner.error(after_arrow - 2, after_arrow, "no output after `->`");
  }
  return result;
}

std::vector<Term> parse_terms(std::string_view text, Span literal) {
  Scanner scanner(text, literal);
  std::vector<Term> terms = scanner.terms();
  if (!scanner.at_end()) {
    scanner.error(scanner.position(), scanner.position() + 2, "unexpected `->`");
  }
  return terms;
}

}  // namespace caten::notation
