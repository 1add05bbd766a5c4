// See scan.h.
#include "frontend/reader/scan.h"

#include "frontend/reader/grammar.h"

namespace caten::lisp {
namespace {

using Input =
    tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf, const char*>;

/// What waits for data, innermost last: an open parenthesis (an index into Scan::open), or a prefix
/// that wants `wanted` data (2 for a feature test and what it guards).
struct Level {
  bool is_paren;
  int wanted;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : text_(text), in_(text.data(), text.data() + text.size(), "") {}

  /// Scans to the end, or through the closing parenthesis at `stop`.
  Scan run(size_t stop) {
    scan_.token_begin = text_.size();
    tao::pegtl::parse<grammar::shebang>(in_);
    while (step(stop)) {
    }
    return std::move(scan_);
  }
  std::optional<size_t> closed() const { return closed_; }

 private:
  size_t here() const { return static_cast<size_t>(in_.current() - text_.data()); }

  bool step(size_t stop) {
    tao::pegtl::parse<grammar::skipped>(in_);
    const size_t begin = here();
    if (begin == text_.size()) {
      scan_.wants_datum = !levels_.empty() && !levels_.back().is_paren;
      return false;
    }
    grammar::State state;
    if (!tao::pegtl::parse<grammar::element, grammar::action>(in_, state)) {
      return malformed(begin);
    }
    const size_t end = here();
    switch (state.kind) {
      case grammar::Kind::Open:
      case grammar::Kind::VectorOpen:
        scan_.open.push_back({.begin = begin, .paren = end - 1, .quoted = is_quoted()});
        levels_.push_back({true, 0});
        return true;
      case grammar::Kind::Close:
        return close(begin, end, stop);
      case grammar::Kind::Quote:
      case grammar::Kind::Backquote:
      case grammar::Kind::Comma:
      case grammar::Kind::CommaSplice:
      case grammar::Kind::FunctionQuote:
      case grammar::Kind::Array:
      case grammar::Kind::Structure:
      case grammar::Kind::Path:
      case grammar::Kind::Label:
        quote_ = state.kind == grammar::Kind::Quote;
        levels_.push_back({false, 1});
        return true;
      case grammar::Kind::FeaturePlus:
      case grammar::Kind::FeatureMinus:
        levels_.push_back({false, 2});
        return true;
      case grammar::Kind::CommentOpen:
        while (state.comment_depth > 0) {
          if (!tao::pegtl::parse<grammar::comment_step, grammar::action>(in_, state)) {
            scan_.inside = Scan::Inside::Comment;
            scan_.inside_begin = begin;
            return false;
          }
        }
        return true;
      case grammar::Kind::None:
      case grammar::Kind::Uninterned:
      case grammar::Kind::Character:
      case grammar::Kind::Radix:
      case grammar::Kind::BitVector:
      case grammar::Kind::LabelUse:
      case grammar::Kind::String:
      case grammar::Kind::Token:
        break;
    }
    if (end == text_.size() && state.kind == grammar::Kind::Token) {
      scan_.token_begin = begin;
    }
    deliver(begin, end, state.kind == grammar::Kind::Token);
    return true;
  }

  bool is_quoted() const { return !levels_.empty() && !levels_.back().is_paren && quote_; }

  bool close(size_t begin, size_t end, size_t stop) {
    while (!levels_.empty() && !levels_.back().is_paren) {
      levels_.pop_back();
    }
    if (scan_.open.empty()) {
      scan_.extra_close = true;
      return begin != stop;
    }
    const OpenParen open = scan_.open.back();
    scan_.open.pop_back();
    levels_.pop_back();
    if (begin == stop) {
      closed_ = open.paren;
      return false;
    }
    deliver(open.begin, end, false);
    return true;
  }

  /// A datum is finished; it may finish the prefixes before it.
  void deliver(size_t begin, size_t end, bool is_token) {
    while (!levels_.empty() && !levels_.back().is_paren) {
      if (--levels_.back().wanted > 0) {
        return;
      }
      is_token = false;
      levels_.pop_back();
    }
    if (levels_.empty()) {
      ++scan_.data;
      return;
    }
    OpenParen& list = scan_.open.back();
    if (list.count == 0) {
      list.first_begin = begin;
      list.first_end = end;
      list.first_is_token = is_token;
    } else if (list.count == 1) {
      list.second_begin = begin;
    }
    ++list.count;
  }

  /// Something that the grammar does not take: unfinished at the end of the text, or one character
  /// that the reader will complain about.
  bool malformed(size_t begin) {
    const char c = text_[begin];
    if (c == '"') {
      scan_.inside = Scan::Inside::String;
    } else if (c != '#') {
      scan_.inside = Scan::Inside::Symbol;
    } else {
      in_.bump(1);
      deliver(begin, begin + 1, false);
      return true;
    }
    scan_.inside_begin = begin;
    return false;
  }

  std::string_view text_;
  Input in_;
  Scan scan_;
  std::vector<Level> levels_;
  bool quote_ = false;
  std::optional<size_t> closed_;
};

}  // namespace

Scan scan(std::string_view text) {
  return Scanner(text).run(std::string_view::npos);
}

std::optional<size_t> matching_paren(std::string_view text, size_t close) {
  Scanner scanner(text);
  scanner.run(close);
  return scanner.closed();
}

}  // namespace caten::lisp
