// Scan: where the parentheses, strings and comments of a text are, by the reader's own grammar but
// without making symbols: for editors, which look at text that is not finished yet.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace caten::lisp {

/// A parenthesis that is still open, and what stands behind it so far.
struct OpenParen {
  size_t begin = 0;  // of the whole opening: `(` or `#(`
  size_t paren = 0;  // the parenthesis itself
  bool quoted = false;
  size_t count = 0;                       // data behind it
  size_t first_begin = 0, first_end = 0;  // the first of them
  bool first_is_token = false;
  size_t second_begin = 0;
};

struct Scan {
  enum class Inside { Nothing, String, Comment, Symbol };

  std::vector<OpenParen> open;      // outermost first
  Inside inside = Inside::Nothing;  // what the end of the text lies in
  size_t inside_begin = 0;
  bool wants_datum = false;  // the text ends after a quote or the like
  size_t data = 0;           // finished at top level
  size_t token_begin = 0;    // of the token that the text ends with; else its size
  bool extra_close = false;  // a parenthesis closes nothing

  /// Whether every form that was begun is finished.
  bool complete() const { return open.empty() && inside == Inside::Nothing && !wants_datum; }
};

Scan scan(std::string_view text);

/// The offset of the parenthesis that the one at `close` (a `)` of code) belongs to.
std::optional<size_t> matching_paren(std::string_view text, size_t close);

}  // namespace caten::lisp
