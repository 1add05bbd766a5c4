// How text lies on a terminal: columns of characters, and rows and columns of positions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caten::repl {

/// The columns that a UTF-8 text without newlines takes.
size_t display_width(std::string_view utf8);

/// The first line of a text, at most `limit` bytes of it, with "..." for what is left out.
std::string clipped(std::string_view utf8, size_t limit);

struct Cell {
  size_t row = 0;
  size_t column = 0;
};
/// Where the cursor stands behind `text` on a terminal `columns` wide, when it starts in column
/// `first_column` of row 0. A full row moves on to the next.
Cell cell_behind(std::wstring_view text, size_t first_column, size_t columns);

}  // namespace caten::repl
