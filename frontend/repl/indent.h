// Indentation of Lisp as Emacs does it: where a line starts, from the text before it.
#pragma once

#include <cstddef>
#include <string_view>

namespace caten::repl {

/// The column of a new line behind `text`; columns of its first line are counted from
/// `first_column` (the width of the prompt). 0 inside of strings and comments.
size_t indentation(std::string_view text, size_t first_column);

}  // namespace caten::repl
